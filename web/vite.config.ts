/// <reference types="vitest/config" />
import { defineConfig } from "vite";

// The studio is served by `reenact studio` under a strict content security policy: every script and style is a file of its own,
// nothing is inlined, and no source map goes into the package.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/reenact/studio/static",
    emptyOutDir: true,
    sourcemap: false,
    assetsInlineLimit: 0,
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rolldownOptions: { input: { index: "index.html", render: "render.html" } },
  },
  server: {
    proxy: {
      "/api": {
        target: "http://127.0.0.1:8123",
        ws: true,
        changeOrigin: true,
        headers: { origin: "http://127.0.0.1:8123" },
      },
    },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
