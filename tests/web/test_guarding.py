"""What keeps the pages safe, asked of a real server over plain sockets and HTTP."""

import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tiltmeter.web import is_loopback
from web.served import Client, Served

Serve = Callable[..., Served]

WANTED = {
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def answers(served: Served) -> dict[str, requests.Response]:
    """One of every kind of answer."""
    ana = Client(served.reviewer("Ana"))
    return {
        "page": ana.open(),
        "owner": Client(served.owner).open(),
        "file": Client(served.owner).open("/files/votes.csv"),
        "style": Client(served.root).open("/static/review.css"),
        "no link": Client(served.root).open("/review/x"),
        "nothing": Client(served.root).open("/nothing"),
        "no method": requests.put(served.reviewer("Ana"), timeout=60),
        "bad form": ana.send("/vote", {}),
        "other host": requests.get(served.root, headers={"Host": "evil.example"}, timeout=60),
        "other site": ana.send("/vote", {}, Origin="http://evil.example"),
    }


def test_every_answer_carries_the_security_headers(untouched: Served) -> None:
    for kind, answer in answers(untouched).items():
        for name, value in WANTED.items():
            assert answer.headers.get(name, "").startswith(value), (kind, name)
        assert "server" not in {header.lower() for header in answer.headers}, kind


def test_no_page_has_scripts_or_styles_that_the_policy_would_have_to_allow(untouched: Served) -> None:
    for answer in answers(untouched).values():
        assert "<style" not in answer.text
        assert " style=" not in answer.text
        assert " onclick" not in answer.text
        assert "<script>" not in answer.text


def test_only_loopback_is_listened_to(untouched: Served) -> None:
    place = urlsplit(untouched.root)
    assert place.hostname == "127.0.0.1"
    port = place.port or 0
    listening = {line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if " 0A " in line}
    ours = [address for address in listening if address.endswith(f":{port:04X}")]
    assert ours == [f"0100007F:{port:04X}"]  # 127.0.0.1, and nothing else


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1", "0"])
def test_another_hosts_name_is_refused(untouched: Served, host: str) -> None:
    """So that no page of another site can ask this server by a name that it points here."""
    answer = requests.get(untouched.reviewer("Ana"), headers={"Host": host}, timeout=60)
    assert answer.status_code == 400
    assert "Ana" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_from_another_site_is_refused(untouched: Served, headers: dict[str, str]) -> None:
    ana = Client(untouched.reviewer("Ana"))
    ana.open()
    answer = ana.send("/vote", {**ana.form("/vote"), "choice": "keep"}, **headers)
    assert answer.status_code == 403
    assert ana.open().text.count("/vote") > 0


def test_a_form_of_ones_own_page_passes(serve: Serve) -> None:
    served = serve("--reviewers", "Ana")
    ana = Client(served.reviewer("Ana"))
    ana.open()
    fields = {**ana.form("/vote"), "choice": "keep"}
    assert ana.send("/vote", fields, Origin=served.root, **{"Sec-Fetch-Site": "same-origin"}).status_code == 303


OWNERS_FORMS = [
    "/reviewers",
    "/reviewers/1/link",
    "/reviewers/1/revoke",
    "/main",
    "/disagreements/2",
    "/criteria",
    "/import",
]


@pytest.mark.parametrize("action", OWNERS_FORMS)
@pytest.mark.parametrize("mark", ["", "0" * 64])
def test_an_owners_form_without_its_mark_changes_nothing(untouched: Served, action: str, mark: str) -> None:
    owner = Client(untouched.owner)
    before = owner.open().text
    fields = {"name": "New", "choice": "keep", "version": "1", **({"mark": mark} if mark else {})}
    assert owner.send(action, fields).status_code in (400, 403)
    assert owner.open().text == before


def raw(served: Served, request: bytes) -> bytes:
    place = urlsplit(served.root)
    with socket.create_connection((str(place.hostname), place.port or 0), timeout=30) as connection:
        connection.sendall(request)
        return connection.recv(100)


@pytest.mark.parametrize("length", [b"", b"Content-Length: 10\r\n"])
def test_a_body_of_unknown_size_is_not_read(untouched: Served, length: bytes) -> None:
    path = untouched.reviewer("Ana").removeprefix(untouched.root).encode() + b"/vote"
    host = urlsplit(untouched.root).netloc.encode()
    head = b"POST " + path + b" HTTP/1.1\r\nHost: " + host + b"\r\n" + length + b"Transfer-Encoding: chunked\r\n\r\n"
    assert raw(untouched, head).startswith(b"HTTP/1.1 411")


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/", "/docs"]
)
def test_no_other_file_is_served(untouched: Served, path: str) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: {urlsplit(untouched.root).netloc}\r\nConnection: close\r\n\r\n"
    assert raw(untouched, head.encode()).startswith(b"HTTP/1.1 404")


def test_odd_uploads_and_numbers_of_the_owner_are_refused_without_a_fault(untouched: Served) -> None:
    owner = Client(untouched.owner)
    owner.open("/files")
    form = owner.form("/import")
    for content in (b"", b"{", b"[]", b"\xff\xfe", b"[" * 50_000):
        answer = requests.post(
            untouched.owner + "/import",
            data=form,
            files={"file": ("x.json", content)},
            timeout=60,
            allow_redirects=False,
        )
        assert answer.status_code == 409, content[:5]
        assert "Nothing was changed" in answer.text
    assert requests.post(untouched.owner + "/import", data=form, timeout=60).status_code == 409
    for path in ("/files/x", "/files/..%2fset.parquet", "/disagreements?page=0", f"/disagreements?page={10**30}"):
        assert owner.open(path).status_code in (400, 404), path
    for path in (f"/reviewers/{10**30}/link", "/reviewers/x/link", "/reviewers/-1/revoke", f"/disagreements/{10**30}"):
        assert owner.send(path, {**form, "choice": "back"}).status_code == 400, path


def test_behind_a_proxy_the_links_and_forms_are_the_proxys(serve: Serve) -> None:
    with socket.create_server(("127.0.0.2", 0)) as free:
        port = free.getsockname()[1]
    public = "https://review.example.org"
    served = serve("--reviewers", "Ana", "--host", "127.0.0.2", "--port", port, "--url", f"{public}/")
    assert served.reviewer("Ana").startswith(f"{public}/review/")
    ana = Client(served.reviewer("Ana").replace(public, f"http://127.0.0.2:{port}"))
    ana.open(Host="review.example.org")
    fields = {**ana.form("/vote"), "choice": "keep"}
    assert ana.send("/vote", fields, Host="127.0.0.2", Origin="https://other.example.org").status_code == 403
    assert ana.send("/vote", fields, Host="127.0.0.2", Origin=public).status_code == 303
    with pytest.raises(requests.ConnectionError):
        requests.get(f"http://127.0.0.1:{port}/", timeout=10)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("x.org", False),
    ],
)
def test_what_others_can_reach_is_told_from_what_they_cannot(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
