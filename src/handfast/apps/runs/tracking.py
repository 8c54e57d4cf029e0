"""Parameters that say where a visitor came from, and nothing about the page.

The same list is in ``handfast_runs.canonicalize_url``; a test tries each name in both.
"""

TRACKING_PREFIXES = ("utm_", "hsa_", "mtm_", "pk_", "piwik_", "matomo_")

# Advertisements; measuring and affiliates; letters; who sent the visitor.
TRACKING_NAMES = frozenset(
    """
    gclid gclsrc gbraid wbraid dclid gad_source gad_campaignid srsltid fbclid igshid igsh mibextid
    msclkid yclid ymclid ysclid _openstat twclid ttclid li_fat_id trk rdt_cid scid epik

    _ga _gl _branch_match_id cjevent irclickid rb_clickid s_cid wickedid zanpid

    mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash oly_anon_id oly_enc_id vero_conv vero_id
    _hsenc _hsmi __hsfp __hssc __hstc hsctatracking

    ref ref_src ref_url referer referrer
    """.split()  # noqa: SIM905
)


def is_tracking(name: str) -> bool:
    """Whether a parameter of this name is left out. Case does not matter."""
    name = name.lower()
    return name in TRACKING_NAMES or name.startswith(TRACKING_PREFIXES)
