"""A real server in a process of its own, and a client that does what a browser without JavaScript does."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import requests


@dataclass
class Served:
    """A server that was started by the command."""

    process: "subprocess.Popen[str]"
    links: dict[str, Any]

    @property
    def owner(self) -> str:
        link: str = self.links["owner"]
        return link

    @property
    def root(self) -> str:
        return self.owner.partition("/owner/")[0]

    def reviewer(self, name: str) -> str:
        link: str = self.links["reviewers"][name]
        return link

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


def command(path: Path, *arguments: object) -> list[str]:
    return [sys.executable, "-m", "tiltmeter", "review", str(path), "--port", "0", "--json", *map(str, arguments)]


def start(path: Path, *arguments: object) -> Served:
    """Serves a set; on return it answers."""
    process = subprocess.Popen(
        command(path, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TILTMETER_CACHE": str(path.parent / "cache")},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise AssertionError(process.communicate()[1])
    return Served(process, json.loads(line))


class Client:
    """Reads the forms of a page and sends them."""

    def __init__(self, link: str) -> None:
        self.link = link
        self.session = requests.Session()
        self.session.headers["Accept-Language"] = "en"
        self.page = ""

    def open(self, path: str = "", **headers: str) -> requests.Response:
        answer = self.session.get(self.link + path, headers=headers, timeout=60)
        self.page = answer.text
        return answer

    def form(self, action: str) -> dict[str, str]:
        """The fields of the form with this end of its action, as the page has them."""
        found = re.search(rf'<form[^>]*action="[^"]*{re.escape(action)}"[^>]*>(.*?)</form>', self.page, re.S)
        assert found is not None, f"no form {action} on the page"
        fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', found[1])
        return {name: unescape(value) for name, value in fields}

    def send(self, action: str, fields: dict[str, str], **headers: str) -> requests.Response:
        return self.session.post(self.link + action, data=fields, headers=headers, timeout=60, allow_redirects=False)

    def vote(self, choice: str, note: str = "") -> requests.Response:
        self.open()
        return self.send("/vote", {**self.form("/vote"), "choice": choice, "note": note})
