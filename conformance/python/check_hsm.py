"""Lets keys of SoftHSM, a PKCS#11 module of another project, sign for members.

    check_hsm.py UTIL MODULE KEYTOOL     UTIL is softhsm2-util, TALLY and TALLY_SERVICE as with-service has them

The service and the auditor verify what the module signs. A key that must not be taken, or a module
that does not sign, must stop the command and leave no key file.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from cases import Tally

UTIL, MODULE, KEYTOOL = sys.argv[1:4]
TALLY = shlex.split(os.environ["TALLY"])
PIN = "1234"


def run(*command, **more):
    return subprocess.run(command, text=True, capture_output=True, timeout=120, **more)


def must(*command):
    done = run(*command)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


class Token:
    """A token of its own, with a key for each label."""

    def __init__(self, folder):
        self.folder = folder
        tokens = folder / "tokens"
        tokens.mkdir()
        config = folder / "softhsm2.conf"
        config.write_text(f"directories.tokendir = {tokens}\nlog.level = ERROR\n")
        os.environ["SOFTHSM2_CONF"] = str(config)
        said = must(UTIL, "--module", MODULE, "--init-token", "--free", "--label", "t",
                    "--pin", PIN, "--so-pin", PIN)
        self.slot = int(said.split()[-1])
        (folder / "sun.cfg").write_text(f"name = t\nlibrary = {MODULE}\nslot = {self.slot}\n")
        self.pin = self.write("pin", PIN + "\n")

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text)
        file.chmod(0o600)
        return file

    def generate(self, label, *algorithm):
        must(KEYTOOL, "-genkeypair", "-keystore", "NONE", "-storetype", "PKCS11", "-providerclass",
             "sun.security.pkcs11.SunPKCS11", "-providerarg", str(self.folder / "sun.cfg"), "-storepass", PIN,
             "-alias", label, "-dname", f"CN={label}", *algorithm)

    def uri(self, label, slot=None, module=MODULE, pin=None):
        slot = self.slot if slot is None else slot
        return f"pkcs11:object={label};slot-id={slot}?module-path={module}&pin-source=file:{pin or self.pin}"

    def named(self, uri):
        """The key file that keygen wrote, or none and what it said."""
        file = self.folder / "named.key"
        file.unlink(missing_ok=True)
        done = run(*TALLY, "keygen", "--delegated", uri, str(file))
        return file if done.returncode == 0 else None, done.stderr


def works(token, uri):
    """Whether the key of that URI founds a ledger, signs a journal and passes an audit."""
    key, _ = token.named(uri)
    if key is None:
        return False
    trust = ["--trust", str(token.folder / "trust")]
    made = must(*TALLY, "ledger", "create", "agent's", "--key", str(key), "--public", "--json", *trust)
    ledger = json.loads(made)["ledgerId"]
    must(*TALLY, "append", ledger, "--text", "by an agent's module", "--key", str(key), *trust)
    must(*TALLY, "audit", ledger, *trust)
    return True


def main():
    with tempfile.TemporaryDirectory() as path:
        token = Token(Path(path))
        token.generate("agent", "-keyalg", "EC", "-groupname", "secp256r1")
        token.generate("larger", "-keyalg", "EC", "-groupname", "secp384r1")
        wrong_pin = token.write("wrong-pin", "4321\n")
        tally = Tally("softhsm2")
        twins = [
            ("another PIN", (token, token.uri("agent", pin=wrong_pin))),
            ("no PIN file", (token, token.uri("agent", pin="/nowhere"))),
            ("another label", (token, token.uri("nobody"))),
            ("another curve", (token, token.uri("larger"))),
            ("another slot", (token, token.uri("agent", slot=1))),
            ("no module", (token, token.uri("agent", module="/nowhere.so"))),
            ("a PIN in the URI", (token, token.uri("agent") + "&pin-value=" + PIN)),
        ]
        tally.judge("a key in a module", works, (token, token.uri("agent")), twins)
        tally.finish()


if __name__ == "__main__":
    main()
