"""The built pages: files below one folder, the hashed ones kept by the browser for ever."""

from __future__ import annotations

import os

from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

_NOT_BUILT = "The studio's pages are not built. In a checkout: python tools/build_studio.py\n"


class Pages(StaticFiles):
    """Serves the folder that Vite writes; says so when it is not there."""

    def __init__(self, folder: os.PathLike[str]) -> None:
        super().__init__(directory=folder, html=True, check_dir=False)

    async def check_config(self) -> None:
        """Nothing to check: a missing folder is told in `get_response`."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or what is wrong."""
        if not os.path.isfile(os.path.join(self.directory or "", "index.html")):
            return PlainTextResponse(_NOT_BUILT, 503)
        response = await super().get_response(path, scope)
        hashed = path.replace("\\", "/").startswith("assets/") and response.status_code in (200, 304)
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        return response
