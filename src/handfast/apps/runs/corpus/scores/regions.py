"""Which countries are near each other, by their two letters of ISO 3166.

Coarse on purpose: an investor who says DE and not AT would probably listen to Vienna.
"""

_REGIONS = {
    "africa": """ao bf bi bj bw cd cf cg ci cm cv dj dz eg eh er et ga gh gm gn gq gw ke km lr ls ly
        ma mg ml mr mu mw mz na ne ng rw sc sd sl sn so ss st sz td tg tn tz ug za zm zw""",
    "asia": """af bd bn bt cn hk id in jp kg kh kp kr kz la lk mm mn mo mv my np ph pk sg th tj tl
        tm tw uz vn""",
    "europe": """ad al at ba be bg by ch cy cz de dk ee es fi fo fr gb ge gg gi gr hr hu ie im is it
        je li lt lu lv mc md me mk mt nl no pl pt ro rs ru se si sk sm ua uk va xk am az""",
    "latin-america": """ag ar bb bo br bs bz cl co cr cu dm do ec gd gt gy hn ht jm kn lc mx ni pa
        pe pr py sr sv tt uy vc ve""",
    "middle-east": "ae bh il iq ir jo kw lb om ps qa sa sy tr ye",
    "north-america": "bm ca gl us",
    "oceania": "au fj fm ki mh nr nz pg pw sb to tv vu ws",
}

REGION = {country: region for region, named in _REGIONS.items() for country in named.split()}
EVERYWHERE = frozenset({"*", "any", "everywhere", "global", "worldwide"})


def region(country: str) -> str | None:
    """The region of a country, or of the region itself: an investor may say ``Europe``."""
    return country if country in _REGIONS else REGION.get(country)
