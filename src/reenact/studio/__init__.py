"""The studio: a web server on this machine that shows a library in the browser. `reenact studio` starts it; docs/studio-server.md tells more."""
