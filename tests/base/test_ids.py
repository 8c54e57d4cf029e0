from handfast.base.ids import new_id, new_token


def test_ids_grow() -> None:
    ids = [new_id() for _ in range(1000)]
    assert ids == sorted(ids)
    assert {i.version for i in ids} == {7}


def test_tokens_are_unlike() -> None:
    tokens = {new_token("hf_admin") for _ in range(100)}
    assert len(tokens) == 100
    assert all(t.startswith("hf_admin_") and len(t) > 40 for t in tokens)
