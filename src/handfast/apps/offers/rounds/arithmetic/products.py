"""Products of integer matrices, exact on every machine.

Integers whose sums stay below 2**24 are exact in float32, whatever the order in which a library
adds them up, and float32 is what libraries are quick at. One that is not exact all the same (a
build with shortened multiplication) is found out once, and then integers are multiplied as such.
"""

from functools import cache

from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

EXACT_UNTIL = 1 << 24


def product(
    one: "npt.NDArray[np.float32]", other: "npt.NDArray[np.float32]"
) -> "npt.NDArray[np.float32]":
    """Rows of the one by rows of the other: integers, as float32 holds them."""
    if float32_is_exact():
        return one @ other.T
    whole: npt.NDArray[np.int64] = one.astype(np.int64) @ other.astype(np.int64).T
    return whole.astype(np.float32)


@cache
def float32_is_exact() -> bool:
    """Of products just below the bound: many small parts, and few large ones."""
    many = np.full((2, 4096), 63, np.float32)
    large = np.array([[4095, 1], [4093, 3]], np.float32)
    for sample in (many, large):
        exact = sample.astype(np.int64) @ sample.astype(np.int64).T
        if exact.max() >= EXACT_UNTIL or (sample @ sample.T).astype(np.int64).tolist() != (
            exact.tolist()
        ):
            return False
    return True
