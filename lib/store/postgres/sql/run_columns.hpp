#pragma once

/** What statements read of a run `r` and its thread `t`, whole or for a list; more columns come behind. */
#define WEFT_PG_RUN_COLUMNS                                                                                      \
    "r.id, t.tenant, t.name, r.phase, r.signal, r.graph, r.message, r.attempt, r.created, r.ended,"              \
    " CAST(r.metadata AS text), r.webhook, r.priority, r.not_before, r.changed, r.revision"

/** What statements read of a checkpoint `c`, without its content. */
#define WEFT_PG_INFO_COLUMNS                                                                                     \
    "c.id, c.seq, c.parent, c.run, c.epoch, c.kind, c.step, c.node, c.graph, c.graph_hash, c.label, c.at, c.bytes,"  \
    " c.copy_of"

namespace weft::postgres_detail {

inline constexpr int run_column_count = 16;

}  // namespace weft::postgres_detail
