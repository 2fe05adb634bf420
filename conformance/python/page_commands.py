"""Commands that a page shows, so that page and check are one."""

import re
import sys
from pathlib import Path


def commands(page: Path, name: str) -> str:
    """The block of the page behind its mark."""
    found = re.findall(rf"<!-- commands: {name} -->\n+```sh\n(.*?)```\n", page.read_text(), re.DOTALL)
    if len(found) != 1:
        sys.exit(f"{page} has {len(found)} blocks of commands called {name}, want 1")
    return found[0]
