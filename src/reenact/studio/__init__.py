"""The studio: a web server on this machine that shows a library in the browser; see docs/studio-server.md."""
