"""What a measure is called in a certificate."""

from tiltmeter.results import Estimate


def measure_key(estimate: Estimate, prefix: str = "") -> str:
    """The way it was measured, test, name and groups; nothing for a control, which is not there to find a bias."""
    if "control" in estimate.group:
        return ""
    groups = [text for text in estimate.group.values() if text != "pack"]
    return " ".join(filter(None, [prefix, estimate.test, estimate.name, *groups]))
