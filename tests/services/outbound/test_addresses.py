"""Which addresses are refused, and that the public ones are not."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.services.outbound.addresses import why_not

REFUSED = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "100.64.0.1": "CGNAT",
    "100.100.100.200": "CGNAT",  # a cloud's metadata
    "100.127.255.255": "CGNAT",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "168.63.129.16": "metadata",
    "169.254.169.254": "link-local",
    "169.254.170.2": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.192": "reserved",  # a cloud's metadata
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4",
    "192.168.1.1": "private",
    "198.18.0.1": "benchmarks",
    "198.19.255.255": "benchmarks",
    "198.51.100.7": "documentation",
    "203.0.113.7": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::2": "IPv4",
    "::127.0.0.1": "IPv4",
    "::8.8.8.8": "IPv4",
    "::ffff:127.0.0.1": "IPv4",
    "::ffff:8.8.8.8": "IPv4",
    "::ffff:0:127.0.0.1": "reserved",
    "64:ff9b::127.0.0.1": "NAT64 for 127.0.0.1, which is loopback",
    "64:ff9b::a9fe:a9fe": "NAT64 for 169.254.169.254",
    "64:ff9b::10.1.2.3": "private",
    "64:ff9b:1::8.8.8.8": "reserved",
    "100::1": "reserved",
    "2001::1": "Teredo",
    "2001:0:7f00:1::": "Teredo",
    "2001:10::1": "protocols",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4",
    "2002:808:808::": "6to4",
    "3fff::1": "documentation",
    "4000::1": "reserved",
    "5f00::1": "reserved",
    "fc00::1": "private",
    "fd00:ec2::254": "private",  # a cloud's metadata
    "fe80::1": "link-local",
    "fe80::1%1": "link-local",
    "fe80::1%eth0": "link-local",
    "fec0::1": "reserved",
    "ff02::1": "multicast",
}

ALLOWED = [
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255"),
    *("172.32.0.0", "192.167.255.255", "192.169.0.0", "168.63.129.15", "223.255.255.255"),
    *("2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "2000::1"),
    "64:ff9b::8.8.8.8",  # how a network without IPv4 reaches the public one
]


@pytest.mark.parametrize(("address", "about"), REFUSED.items())
def test_refused(address: str, about: str) -> None:
    said = why_not(address)
    assert said is not None
    assert about in said


@pytest.mark.parametrize("address", ALLOWED)
def test_allowed(address: str) -> None:
    assert why_not(address) is None


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_what_python_calls_private_is_refused(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    """Another list than ours, kept by others: we never allow what it forbids."""
    unusual = address.is_private or address.is_multicast or address.is_reserved
    if (unusual or address.is_loopback or address.is_link_local) and not (
        address.version == 6 and address in ipaddress.ip_network("64:ff9b::/96")
    ):
        assert why_not(address) is not None


@pytest.mark.parametrize("network", ["127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16"])
@given(data=st.data())
def test_no_clothes_help(network: str, data: st.DataObject) -> None:
    """A private IPv4 address is refused in every way to write it inside an IPv6 one."""
    inside = int(data.draw(st.ip_addresses(network=network)))
    for prefix, shift in {
        "::": 0,
        "::ffff:0:0": 0,
        "::ffff:0:0:0": 0,
        "64:ff9b::": 0,
        "64:ff9b:1::": 0,
        "2002::": 80,
        "2001::": 64,
    }.items():
        dressed = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | inside << shift)
        assert why_not(dressed) is not None, dressed
