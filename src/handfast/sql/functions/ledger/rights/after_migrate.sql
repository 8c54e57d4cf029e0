-- Called at the end of every migrate, in the transaction that installs the functions: who may do what
-- here. Nothing in this schema is for PUBLIC, and what is written is changed by nobody, not by the
-- owner either: triggers refuse it as well, for those whom no right holds back. Answers nothing. What
-- is as it should be is left alone: each REVOKE would write to the catalog, changed or not.
CREATE OR REPLACE FUNCTION handfast_ledger.after_migrate() RETURNS SETOF text
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c_append_only CONSTANT regclass[] := ARRAY[
        'handfast_ledger.transfers', 'handfast_ledger.entries', 'handfast_ledger.seals',
        'handfast_ledger.seal_totals', 'handfast_ledger.epochs'
    ];
    v_function regprocedure;
    v_table    regclass;
    v_owner    name;
BEGIN
    FOR v_function IN
        SELECT p.oid::regprocedure FROM pg_proc AS p
        WHERE p.pronamespace = 'handfast_ledger'::regnamespace
          AND EXISTS (
              SELECT 1 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
              WHERE a.grantee = 0
          )
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
    END LOOP;
    FOR v_table, v_owner IN
        SELECT c.oid::regclass, r.rolname FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner
        WHERE c.oid = ANY (c_append_only)
          AND EXISTS (
              SELECT 1 FROM aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a
              WHERE a.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE')
          )
    LOOP
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %s FROM PUBLIC, %I', v_table, v_owner);
    END LOOP;
    RETURN;
END
$$;
