"""Servers and tokens are found as the command finds them."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Dict, Optional

from millrace import MillraceError, Unreachable
from millrace.target import address, find


class TargetTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment: Dict[str, str] = {"HOME": str(self.folder)}

    def token(self, name: str) -> Path:
        file = self.folder / f"{name}.token"
        file.write_text(f" {name}\n")
        return file

    def up(self, folder: Path, url: str, token: Optional[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        file = None if token is None else str(self.token(token))
        (folder / "current.json").write_text(json.dumps({"url": url, "tokenFile": file, "loadBalancer": "x"}))

    def user_up(self, url: str = "http://127.0.0.1:7700", token: Optional[str] = "user") -> None:
        self.up(self.folder / ".config" / "millrace", url, token)

    def test_the_last_up_of_the_user_is_the_default(self) -> None:
        self.user_up()
        found = find(self.environment)
        self.assertEqual((["http://127.0.0.1:7700"], "user"), (found.servers, found.token()))

    def test_the_environment_is_preferred_to_the_last_up_and_its_token_is_not_sent_elsewhere(self) -> None:
        self.user_up()
        self.environment["MILLRACE_URL"] = "h1:7700, http://h2:7700/"
        found = find(self.environment)
        self.assertEqual((["http://h1:7700", "http://h2:7700"], None), (found.servers, found.token()))
        self.environment["MILLRACE_TOKEN_FILE"] = str(self.token("mine"))
        self.assertEqual("mine", find(self.environment).token())

    def test_the_token_of_an_up_is_sent_to_its_own_server(self) -> None:
        self.user_up()
        self.environment["MILLRACE_URL"] = "127.0.0.1:7700"
        self.assertEqual("user", find(self.environment).token())
        self.up(self.folder / "data", "http://h3:1", "data")
        self.environment.update(MILLRACE_URL="h3:1", MILLRACE_DATA=str(self.folder / "data"))
        self.assertEqual("data", find(self.environment).token())

    def test_arguments_are_preferred(self) -> None:
        self.user_up()
        self.environment.update(MILLRACE_URL="h1:1", MILLRACE_TOKEN_FILE=str(self.token("environment")))
        found = find(self.environment, ["http://h9:9"], token="given")
        self.assertEqual((["http://h9:9"], "given"), (found.servers, found.token()))
        self.assertEqual("file", find(self.environment, token_file=self.token("file")).token())
        self.up(self.folder / "data", "http://h3:1", "data")
        del self.environment["MILLRACE_TOKEN_FILE"]
        found = find(self.environment, data=self.folder / "data")
        self.assertEqual((["http://h3:1"], "data"), (found.servers, found.token()))

    def test_without_any_server_it_is_said_how_to_name_one(self) -> None:
        with self.assertRaisesRegex(Unreachable, "millrace up.*MILLRACE_URL"):
            find(self.environment)
        with self.assertRaisesRegex(Unreachable, "nowhere"):
            find(self.environment, data="nowhere")

    def test_a_file_that_holds_something_else_is_not_sent(self) -> None:
        for content in (b"two words", b"", b"x" * 20000, b"\xff\xfe"):
            file = self.folder / "wrong"
            file.write_bytes(content)
            with self.subTest(content[:9]), self.assertRaises(MillraceError) as failed:
                find(self.environment, ["http://h:1"], token_file=file).token()
            self.assertEqual("UNAUTHENTICATED", failed.exception.code)
        with self.assertRaisesRegex(MillraceError, "cannot read token file"):
            find(self.environment, ["http://h:1"], token_file=self.folder / "absent").token()

    def test_a_renewed_token_is_read_again(self) -> None:
        file = self.token("first")
        found = find(self.environment, ["http://h:1"], token_file=file)
        self.assertEqual("first", found.token())
        file.write_text("second")
        self.assertEqual("second", found.token())

    def test_addresses_have_a_host_and_a_port_only(self) -> None:
        self.assertEqual("http://[::1]:7700", address("http://[::1]:7700/"))
        for wrong in ("", "ftp://h:1", "http://user@h:1", "h:1/path", "http://h:1?x=y", "h:99999"):
            with self.subTest(wrong), self.assertRaises(ValueError):
                address(wrong)


if __name__ == "__main__":
    unittest.main()
