#include "sql_statements.hpp"

/** The tenants, graphs and revisions with ready runs: each is a step in the index, whatever number of runs it has. */
#define WEFT_PG_LANES                                                                                            \
    "WITH RECURSIVE lane AS ("                                                                                   \
    " (SELECT tenant, graph COLLATE \"C\" AS graph, revision FROM run WHERE phase = 1 AND held_by IS NULL"       \
    "  ORDER BY tenant, graph COLLATE \"C\", revision LIMIT 1)"                                                  \
    " UNION ALL SELECT n.tenant, n.graph, n.revision FROM lane l CROSS JOIN LATERAL"                             \
    " (SELECT r.tenant, r.graph COLLATE \"C\" AS graph, r.revision FROM run r WHERE r.phase = 1"                 \
    "  AND r.held_by IS NULL AND (r.tenant, r.graph COLLATE \"C\", r.revision) > (l.tenant, l.graph, l.revision)"\
    "  ORDER BY r.tenant, r.graph COLLATE \"C\", r.revision LIMIT 1) n)"
/** Of a lane `l`, how many runs it has, at most $2, and when the oldest of them was entered. */
#define WEFT_PG_COUNTED                                                                                          \
    " CROSS JOIN LATERAL (SELECT count(*) AS count, min(created) AS oldest FROM (SELECT r.created FROM run r"    \
    "  WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant = l.tenant AND r.graph COLLATE \"C\" = l.graph"      \
    "  AND r.revision = l.revision ORDER BY r.place, r.no LIMIT $2) x) c"

namespace weft::postgres_detail::sql {

// $1 how many.
const sql_statement forget_idle_buckets{"forget_idle_buckets", "i", "SELECT forget_idle_buckets($1)"};

// $1 how many kinds, $2 how far to count.
const sql_statement queue_depths{
    "queue_depths", "ii",
    WEFT_PG_LANES
    " SELECT tenant, graph, revision, phase, LEAST(sum(count), $2)::int8, min(oldest) FROM ("
    " SELECT l.tenant, l.graph, l.revision, 1::int2 AS phase, c.count, c.oldest FROM lane l" WEFT_PG_COUNTED
    " UNION ALL SELECT tenant, graph, revision, phase, count(*), min(created) FROM"
    "  ((SELECT tenant, graph, revision, phase, created FROM run WHERE phase = 1 AND held_by IS NOT NULL LIMIT $2)"
    "  UNION ALL (SELECT tenant, graph, revision, phase, created FROM run WHERE phase = 2 LIMIT $2)"
    "  UNION ALL (SELECT tenant, graph, revision, phase, created FROM run WHERE phase = 0 LIMIT $2)) o"
    "  GROUP BY 1, 2, 3, 4) d"
    " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4 LIMIT $1"};

// $1 how many kinds, $2 how far to count.
const sql_statement unclaimable_runs{
    "unclaimable_runs", "ii",
    WEFT_PG_LANES
    " SELECT l.graph, l.revision, LEAST(sum(c.count), $2)::int8, min(c.oldest) FROM lane l" WEFT_PG_COUNTED
    " WHERE NOT EXISTS (SELECT FROM worker w WHERE w.until > now() AND NOT w.is_given_up"
    "  AND is_able(w.graphs, l.graph, l.revision) AND NOT w.graphs @> '[[\"\", \"-\"]]')"
    " GROUP BY 1, 2 ORDER BY 1, 2 LIMIT $1"};

// $1 how many graphs, $2 how far to count.
const sql_statement dead_by_graph{
    "dead_by_graph", "ii",
    "SELECT graph, count(*) FROM (SELECT graph FROM run WHERE phase = 7 LIMIT $2) d GROUP BY 1 ORDER BY 1 LIMIT $1"};

// $1 how many.
const sql_statement list_workers{
    "list_workers", "i",
    "SELECT w.id, w.name, w.since, w.seen, w.until > now() AND NOT w.is_given_up,"
    " (SELECT count(*) FROM run r WHERE r.worker = w.id AND r.phase = 2), CAST(w.graphs AS text)"
    " FROM worker w ORDER BY w.id DESC LIMIT $1"};

}  // namespace weft::postgres_detail::sql

#undef WEFT_PG_LANES
#undef WEFT_PG_COUNTED
