"""Dead letters by the thousand and with strange names, a gap, jobs that wait for their time."""

from handfast.base.tokens import read_tokens
from handfast.db.pool import Database
from handfast.edge.http.policies import Caller
from handfast.engine.operating.sessions import make_code
from tests.dashboard.seeds import OPERATOR
from tests.support.letters import make_dead

MANY = 10_000  # far more than a preview counts

# What users can set may hold anything: none of it may become a part of the page.
STRANGE = (
    "<img src=x onerror=complain('xss')>",
    '"><script>complain("xss")</script>',
    "{{constructor.constructor('complain(1)')()}}",
    "مرحبا بالعالم",
    "\u202eevil",
    "long-" + "x" * 495,
)


async def seed(database: Database) -> None:
    await make_dead(database, "shop.mail", MANY, lane="mail")
    await make_dead(database, "shop.invoice", 3, lane="shop")
    async with database.transaction() as tx:
        await tx.fetch(
            "SELECT * FROM handfast_engine.enqueue_many('shop.strange', $1,"
            " (SELECT array_agg(jsonb_build_object('name', n)) FROM unnest($1::text[]) AS n), NULL,"
            " jsonb_build_object('lane', 'nobody'))",
            list(STRANGE),
        )
        await tx.fetchval(
            "SELECT count(handfast_engine.fail(c.id, c.token, 'data', c.key))"
            " FROM handfast_engine.claim(NULL, ARRAY['nobody'], 3, interval '1 hour', NULL,"
            " ARRAY['shop.strange']) AS c"
        )
        await tx.execute(
            "CREATE TABLE public.shop_orders (number int PRIMARY KEY, placed_at timestamptz)"
        )
        await tx.execute("CREATE TABLE public.shop_receipts (number int)")
        await tx.fetch(
            "SELECT * FROM handfast_engine.enqueue_many('shop.later', ARRAY['later-1', 'later-2'],"
            " ARRAY['{}', '{}']::jsonb[], array_fill(now() + interval '3 hours', ARRAY[2]),"
            " jsonb_build_object('lane', 'shop'))"
        )


async def code(database: Database) -> str:
    """As ``handfast demo`` prints one."""
    [held] = read_tokens(f"anna={OPERATOR}", Caller.OPERATOR)
    async with database.transaction() as tx:
        return await make_code(tx, Caller.OPERATOR, held)


async def gap(database: Database) -> None:
    """Orders that nobody has enqueued a receipt for: a start would have repaired that."""
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO public.shop_orders SELECT n, now() - interval '1 hour'"
            " FROM generate_series(1, 7) AS n"
        )
