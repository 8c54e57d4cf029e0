-- The legs of a stake, as handfast_ledger.post reads them: credit pays before the wallet, and the stake
-- before the fee. What services/ledger/rules.py calls a stake; a test compares them.
CREATE OR REPLACE FUNCTION handfast_stakes.stake_legs(p_owner text, p_amount bigint, p_fee bigint)
RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_build_array(
        jsonb_build_object('account', 'funds', 'owner', p_owner, 'amount', -p_amount, 'kind', 'STAKE_IN'),
        jsonb_build_object('account', 'escrow', 'owner', NULL, 'amount', p_amount, 'kind', 'STAKE_IN')
    ) || CASE WHEN p_fee = 0 THEN '[]' ELSE jsonb_build_array(
        jsonb_build_object('account', 'funds', 'owner', p_owner, 'amount', -p_fee, 'kind', 'COMMISSION'),
        jsonb_build_object('account', 'revenue', 'owner', NULL, 'amount', p_fee, 'kind', 'COMMISSION')
    ) END
$$;
