"""Which addresses are not public, and so are not connected to.

We ask servers at addresses that somebody else chose. Without a guard, ``http://169.254.169.254/``
or a name that resolves to ``10.0.0.5`` would let that somebody speak to our network as if from
inside (server-side request forgery). The lists are written out, after the IANA registries of
special-purpose addresses, and not taken from ``ipaddress.is_global``, whose answers changed
between versions of Python.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

IPAddress = IPv4Address | IPv6Address

_IPV4 = {
    IPv4Network(network): about
    for network, about in {
        "0.0.0.0/8": "unspecified",
        "10.0.0.0/8": "private",
        "100.64.0.0/10": "shared by a carrier (CGNAT)",
        "127.0.0.0/8": "loopback",
        # A cloud's metadata service lives in link-local, and Azure's second one at an address
        # that looks public.
        "169.254.0.0/16": "link-local",
        "168.63.129.16/32": "a cloud's metadata service",
        "172.16.0.0/12": "private",
        "192.0.0.0/24": "reserved",
        "192.0.2.0/24": "reserved for documentation",
        "192.88.99.0/24": "reserved (6to4 relays)",
        "192.168.0.0/16": "private",
        "198.18.0.0/15": "reserved for benchmarks",
        "198.51.100.0/24": "reserved for documentation",
        "203.0.113.0/24": "reserved for documentation",
        "224.0.0.0/4": "multicast",
        "240.0.0.0/4": "reserved",
    }.items()
}

# In IPv6 only this much is given out to the public; the rest is refused without a list.
_IPV6_PUBLIC = IPv6Network("2000::/3")
_IPV6 = {
    IPv6Network(network): about
    for network, about in {
        "2001::/23": "reserved (Teredo and other protocols)",
        "2001:db8::/32": "reserved for documentation",
        "2002::/16": "6to4, which leads to an IPv4 address",
        "3fff::/20": "reserved for documentation",
    }.items()
}
_IPV6_NAMED = {
    IPv6Network(network): about
    for network, about in {
        "::/128": "unspecified",
        "::1/128": "loopback",
        "::ffff:0:0/96": "an IPv4 address in IPv6 clothes",
        "::/96": "an IPv4 address in IPv6 clothes",
        "fc00::/7": "private",
        "fe80::/10": "link-local",
        "ff00::/8": "multicast",
    }.items()
}
# Networks that have only IPv6 reach the IPv4 world through here, so the address inside decides.
_NAT64 = IPv6Network("64:ff9b::/96")


def why_not(address: str | IPAddress) -> str | None:
    """Why this address is refused, in a few words; ``None`` if it is public."""
    ip = ip_address(address) if isinstance(address, str) else address
    if isinstance(ip, IPv4Address):
        return next((about for network, about in _IPV4.items() if ip in network), None)
    ip = IPv6Address(int(ip))  # without a scope, with which it is in no network
    if ip in _NAT64:
        inside = IPv4Address(int(ip) & 0xFFFFFFFF)
        about = why_not(inside)
        return None if about is None else f"NAT64 for {inside}, which is {about}"
    lists = _IPV6 if ip in _IPV6_PUBLIC else _IPV6_NAMED
    for network, about in lists.items():
        if ip in network:
            return about
    return None if ip in _IPV6_PUBLIC else "reserved"
