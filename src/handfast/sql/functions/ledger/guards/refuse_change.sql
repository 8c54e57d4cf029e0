-- For triggers on what stays as it was written. The argument names the rule, as a constraint would.
CREATE OR REPLACE FUNCTION handfast_ledger.refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of %.% is refused: what is in the ledger stays there',
        TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_ARGV[0],
              SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
              HINT = 'Money that went wrong goes back by a transfer of its own.';
END
$$;
