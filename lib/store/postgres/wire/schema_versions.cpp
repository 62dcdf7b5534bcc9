#include "schema.hpp"
#include "store/postgres/sql/queue_schema.hpp"

#include <iterator>
#include <vector>

namespace weft::postgres_detail {

namespace {

// Phases, signals and kinds are the numbers of `run_phase`, `run_signal`, `checkpoint_kind`, `effect_phase` and
// `question_phase`. Times of processes are nanoseconds since 1970 (`at`), those of the server are timestamptz.
constexpr const char* version_1[] = {
    "CREATE TABLE schema_version (version int4 PRIMARY KEY, min_reader int4 NOT NULL,"
    " applied timestamptz NOT NULL DEFAULT now())",

    "CREATE TABLE store (hash_key bytea NOT NULL)",
    "INSERT INTO store (hash_key) VALUES"
    " (substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 16))",

    "CREATE TABLE worker (id bigserial PRIMARY KEY, name text NOT NULL, until timestamptz NOT NULL,"
    " is_given_up bool NOT NULL DEFAULT false) WITH (fillfactor = 50)",

    "CREATE INDEX worker_given_up ON worker (id) WHERE is_given_up",
    "CREATE INDEX worker_until ON worker (until)",

    "CREATE SEQUENCE epoch_no",
    "CREATE TABLE thread (no bigserial PRIMARY KEY, tenant text COLLATE \"C\" NOT NULL,"
    " name text COLLATE \"C\" NOT NULL, epoch int8 NOT NULL DEFAULT 0, head int8 NOT NULL DEFAULT 0,"
    " active uuid, holder uuid, changed timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 70)",
    "CREATE UNIQUE INDEX thread_name ON thread (tenant, name)",

    "CREATE TABLE run (id uuid PRIMARY KEY, no bigserial NOT NULL, thread int8 NOT NULL,"
    " tenant text COLLATE \"C\" NOT NULL, phase int2 NOT NULL, signal int2 NOT NULL DEFAULT 0,"
    " attempt int4 NOT NULL DEFAULT 0, attempts_max int8 NOT NULL, worker int8, epoch int8 NOT NULL DEFAULT 0,"
    " idempotency_key text COLLATE \"C\", graph text NOT NULL, input bytea NOT NULL, message bytea NOT NULL DEFAULT '',"
    " created timestamptz NOT NULL DEFAULT now(), ended timestamptz) WITH (fillfactor = 80)",
    "CREATE INDEX run_ready ON run (no) WHERE phase = 1",
    "CREATE UNIQUE INDEX run_running ON run (thread) WHERE phase = 2",
    "CREATE INDEX run_worker ON run (worker) WHERE phase = 2",
    "CREATE INDEX run_queued ON run (thread, no) WHERE phase = 0",
    "CREATE INDEX run_thread ON run (thread, no)",
    "CREATE UNIQUE INDEX run_key ON run (tenant, idempotency_key) WHERE idempotency_key IS NOT NULL",

    "CREATE TABLE checkpoint (thread int8 NOT NULL, seq int8 NOT NULL, id uuid NOT NULL, parent int8 NOT NULL,"
    " run uuid, epoch int8 NOT NULL, kind int2 NOT NULL, step int8 NOT NULL, at int8 NOT NULL, bytes int8 NOT NULL,"
    " is_forked bool NOT NULL DEFAULT false, node text NOT NULL, graph text NOT NULL, graph_hash text NOT NULL,"
    " label text NOT NULL, links bytea NOT NULL, body bytea NOT NULL, PRIMARY KEY (thread, seq))",
    "CREATE UNIQUE INDEX checkpoint_id ON checkpoint (id)",

    "CREATE TABLE blob (thread int8 NOT NULL, hash bytea NOT NULL, links bytea NOT NULL, bytes bytea NOT NULL,"
    " PRIMARY KEY (thread, hash))",

    "CREATE TABLE effect (thread int8 NOT NULL, address text COLLATE \"C\" NOT NULL, phase int2 NOT NULL,"
    " epoch int8 NOT NULL, key text NOT NULL, body bytea NOT NULL, PRIMARY KEY (thread, address))",

    "CREATE TABLE question (thread int8 NOT NULL, address text COLLATE \"C\" NOT NULL, no bigserial NOT NULL,"
    " phase int2 NOT NULL DEFAULT 0, head int8 NOT NULL, asked timestamptz NOT NULL DEFAULT now(),"
    " answered timestamptz, question bytea NOT NULL, answer bytea NOT NULL DEFAULT '',"
    " PRIMARY KEY (thread, address))",

    "CREATE TABLE item (tenant text COLLATE \"C\" NOT NULL, space text[] COLLATE \"C\" NOT NULL,"
    " name text COLLATE \"C\" NOT NULL, value bytea NOT NULL, created timestamptz NOT NULL,"
    " changed timestamptz NOT NULL, expires timestamptz, PRIMARY KEY (tenant, space, name))",
    "CREATE INDEX item_expires ON item (expires) WHERE expires IS NOT NULL",

    // Rows that change often are cleaned up often.
    "ALTER TABLE worker SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE thread SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE run SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
};

constexpr const char* version_2[] = {
    "ALTER TABLE run ADD COLUMN suspected_at int8",
    "CREATE INDEX run_suspect ON run (attempt, no) WHERE phase = 1 AND suspected_at IS NOT NULL",
    "CREATE INDEX run_held_suspect ON run (worker) WHERE phase = 2 AND suspected_at IS NOT NULL",
};

constexpr const char* version_3[] = {
    "CREATE TABLE event_log (run uuid PRIMARY KEY, first int8 NOT NULL, last int8 NOT NULL, bytes int8 NOT NULL)"
    " WITH (fillfactor = 50)",
    "CREATE TABLE run_event (run uuid NOT NULL, id int8 NOT NULL, at timestamptz NOT NULL DEFAULT now(),"
    " kind text NOT NULL, data bytea NOT NULL, PRIMARY KEY (run, id))",
    // A trigger removes the events of runs, so that programs that know nothing of them leave none behind.
    "CREATE FUNCTION remove_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " DELETE FROM run_event e USING gone WHERE e.run = gone.id;"
    " DELETE FROM event_log l USING gone WHERE l.run = gone.id;"
    " RETURN NULL; END $$",
    "CREATE TRIGGER run_takes_its_events AFTER DELETE ON run REFERENCING OLD TABLE AS gone"
    " FOR EACH STATEMENT EXECUTE FUNCTION remove_events()",

    "CREATE SEQUENCE document_change_no",
    "CREATE TABLE document (kind text COLLATE \"C\" NOT NULL, tenant text COLLATE \"C\" NOT NULL,"
    " id text COLLATE \"C\" NOT NULL, revision int8 NOT NULL DEFAULT 1, no bigserial NOT NULL,"
    " change_no int8 NOT NULL DEFAULT nextval('document_change_no'), created timestamptz NOT NULL DEFAULT now(),"
    " changed timestamptz NOT NULL DEFAULT now(), due timestamptz, body jsonb NOT NULL,"
    " PRIMARY KEY (kind, tenant, id)) WITH (fillfactor = 80)",
    "CREATE UNIQUE INDEX document_no ON document (kind, no)",
    "CREATE INDEX document_changed ON document (kind, change_no)",
    "CREATE INDEX document_due ON document (kind, due) WHERE due IS NOT NULL",
};

constexpr const char* version_4[] = {
    "ALTER TABLE run ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}'",
    "ALTER TABLE run ADD COLUMN webhook text NOT NULL DEFAULT ''",
    "CREATE UNIQUE INDEX run_no ON run (no)",
    "ALTER TABLE thread ADD COLUMN created timestamptz NOT NULL DEFAULT now()",
    "ALTER TABLE thread ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}'",
    "ALTER TABLE thread ADD COLUMN state_values jsonb NOT NULL DEFAULT '{}'",
    "UPDATE thread SET created = changed",
};

// `later` is the moment that the active run of a thread waits for, in phase 0, which programs that know nothing of it
// do not claim. The index run_ready stays for the claims of such programs.
constexpr const char* version_5[] = {
    "ALTER TABLE run ADD COLUMN priority int4 NOT NULL DEFAULT 0",
    "ALTER TABLE run ADD COLUMN not_before timestamptz",
    "ALTER TABLE run ADD COLUMN later timestamptz",
    "ALTER TABLE run ADD COLUMN changed timestamptz NOT NULL DEFAULT now()",
    "UPDATE run SET changed = COALESCE(ended, created)",
    "CREATE INDEX run_line ON run (priority DESC, no) WHERE phase = 1",
    "CREATE INDEX run_later ON run (later) WHERE later IS NOT NULL",
};

// A trigger removes the vectors of items that are gone or have another value, so that programs that know nothing of
// them leave none behind. Floats do not compress.
constexpr const char* version_6[] = {
    "CREATE TABLE item_vector (tenant text COLLATE \"C\" NOT NULL, space text[] COLLATE \"C\" NOT NULL,"
    " name text COLLATE \"C\" NOT NULL, model text COLLATE \"C\" NOT NULL, vector bytea NOT NULL,"
    " PRIMARY KEY (tenant, space, name))",
    "ALTER TABLE item_vector ALTER COLUMN vector SET STORAGE EXTERNAL",
    "CREATE FUNCTION remove_vector() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " DELETE FROM item_vector v WHERE v.tenant = OLD.tenant AND v.space = OLD.space AND v.name = OLD.name;"
    " RETURN NULL; END $$",
    ("CREATE TRIGGER item_takes_its_vector AFTER DELETE OR UPDATE OF value ON item FOR EACH ROW"
     " EXECUTE FUNCTION remove_vector()"),
};

// Searches for what objects contain. Empty ones are in no index: most runs and threads have nothing noted. The hashes
// of whole paths are all that such a search needs.
constexpr const char* version_7[] = {
    "CREATE INDEX thread_metadata ON thread USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}'",
    "CREATE INDEX thread_values ON thread USING gin (state_values jsonb_path_ops) WHERE state_values <> '{}'",
    "CREATE INDEX run_metadata ON run USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}'",
};

// Claims of version 8 ask limits run by run; those of version 11 do not, and replace this.
constexpr const char* version_9[] = {
    R"(CREATE FUNCTION has_queue_rule(kind text) RETURNS bool LANGUAGE sql STABLE AS $$
SELECT EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule' AND d.tenant = ''
 AND d.id >= has_queue_rule.kind || '/' AND d.id < has_queue_rule.kind || '0') $$)",
};

// `log_is_whole` until the events of a run that is over are pruned: the index finds those that are not.
constexpr const char* version_10[] = {
    "ALTER TABLE run ADD COLUMN log_is_whole bool NOT NULL DEFAULT true",
    "CREATE INDEX run_log_whole ON run (ended) WHERE log_is_whole AND phase IN (4, 5, 6)",
};

// Buckets in which no run counts and whose rate is full again go, with what their runs left: a claim makes them anew.
// One that a claim has locked stays; what left a bucket is counted after its lock, as claims do it.
constexpr const char* version_12[] = {
    "ALTER TABLE checkpoint ADD COLUMN copy_of uuid",
    "CREATE INDEX run_dead ON run (graph) WHERE phase = 7",
    R"(CREATE OR REPLACE FUNCTION forget_idle_buckets(most int8) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE idle text; freed int8; gone int8 := 0;
BEGIN
FOR idle IN SELECT b.name FROM bucket b WHERE NOT b.holds AND b.opens IS NULL AND b.next_even <= now()
  AND b.active <= (SELECT count(*) FROM bucket_freed f WHERE f.name = b.name)
  ORDER BY b.name LIMIT most FOR UPDATE SKIP LOCKED LOOP
 DELETE FROM bucket_freed WHERE name = idle;
 GET DIAGNOSTICS freed = ROW_COUNT;
 DELETE FROM bucket WHERE name = idle AND active <= freed;
 IF FOUND THEN gone := gone + 1;
 ELSE UPDATE bucket SET active = active - freed WHERE name = idle; END IF;
END LOOP;
RETURN gone;
END $$)",
};

constexpr schema_version versions[] = {
    {1, 1, version_1},
    {2, 1, version_2},
    {3, 1, version_3},
    {4, 1, version_4},
    {5, 1, version_5},
    {6, 1, version_6},
    {7, 1, version_7},
};

/** The first ones, and those of the queue, which are long. */
const std::vector<schema_version>& all_versions()
{
    static const std::vector<schema_version> all = [] {
        std::vector<schema_version> found{std::begin(versions), std::end(versions)};
        found.push_back({8, 1, queue_schema()});
        found.push_back({9, 1, version_9});
        found.push_back({10, 1, version_10});
        found.push_back({11, 1, queue_claims()});
        // Tables of version 11 have a claim of before; all of them come again.
        static const std::vector<const char*> twelfth = [] {
            std::vector<const char*> statements{std::begin(version_12), std::end(version_12)};
            statements.insert(statements.end(), queue_claims().begin(), queue_claims().end());
            return statements;
        }();
        found.push_back({12, 1, twelfth});
        return found;
    }();
    return all;
}

}  // namespace

std::span<const schema_version> schema_versions() noexcept { return all_versions(); }

}  // namespace weft::postgres_detail
