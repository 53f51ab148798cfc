"""Marks the wheel as one for this machine's system: it carries a binary, and runs with any Python 3."""

import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BinaryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        binary = Path(self.root, "src/kvo_audit/bin/kvo-audit")
        # An editable installation takes the binary from KVO_AUDIT or the PATH.
        if version == "standard" and not binary.exists():
            raise FileNotFoundError(f"{binary} is not built: use `make wheel`")
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
