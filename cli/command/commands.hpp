#pragma once

#include <CLI/CLI.hpp>

namespace weft_cli {

// Each adds a command to the program. `exit_code` is set by the command when it runs; it outlives the app.

/** `weft new`: writes a graph to begin with. */
void add_new_command(CLI::App& app, int& exit_code);
/** `weft check`: what is wrong with a graph file. */
void add_check_command(CLI::App& app, int& exit_code);
/** `weft explain`: how a graph file is understood. */
void add_explain_command(CLI::App& app, int& exit_code);
/** `weft draw`: a graph as Mermaid, DOT or SVG. */
void add_draw_command(CLI::App& app, int& exit_code);
/** `weft run`: runs a graph, in memory or in a thread of a store. */
void add_run_command(CLI::App& app, int& exit_code);
/** `weft index`: documents that are found by meaning. */
void add_index_command(CLI::App& app, int& exit_code);
/** `weft trace`: where the time of a run went. */
void add_trace_command(CLI::App& app, int& exit_code);
/** `weft completion`: the script that completes commands in a shell. */
void add_completion_command(CLI::App& app, int& exit_code);
/** `weft man`: the manual page. */
void add_man_command(CLI::App& app, int& exit_code);

/** `weft serve`: graphs over HTTP. */
void add_serve_command(CLI::App& app, int& exit_code);
/** `weft worker`: runs of a database that others have entered. */
void add_worker_command(CLI::App& app, int& exit_code);
/** `weft mcp`: graphs as tools, over standard input and output. */
void add_mcp_command(CLI::App& app, int& exit_code);
void add_keys_command(CLI::App& app, int& exit_code);

/** `weft queue`: what stands in the queue of a store. */
void add_queue_command(CLI::App& app, int& exit_code);
/** `weft workers`: the processes that perform runs. */
void add_workers_command(CLI::App& app, int& exit_code);
/** `weft top`: what servers and workers do now. */
void add_top_command(CLI::App& app, int& exit_code);
/** `weft dead`: runs that have used up their attempts. */
void add_dead_command(CLI::App& app, int& exit_code);
/** `weft store`: the version of a store's tables. */
void add_store_command(CLI::App& app, int& exit_code);
/** `weft cron`: runs that begin again and again. */
void add_cron_command(CLI::App& app, int& exit_code);

// Commands for runs in a store.

/** `weft resume`: goes on with a saved run. */
void add_resume_command(CLI::App& app, int& exit_code);
/** `weft threads`: which threads a store has. */
void add_threads_command(CLI::App& app, int& exit_code);
/** `weft history`: the checkpoints of a thread. */
void add_history_command(CLI::App& app, int& exit_code);
/** `weft show`: a checkpoint of a thread. */
void add_show_command(CLI::App& app, int& exit_code);
/** `weft answer`: answers questions of a saved run. */
void add_answer_command(CLI::App& app, int& exit_code);
/** `weft event`: delivers an event to nodes that wait for it. */
void add_event_command(CLI::App& app, int& exit_code);
/** `weft fork`: a new thread out of a checkpoint. */
void add_fork_command(CLI::App& app, int& exit_code);
/** `weft compat`: which threads can go on with a changed graph. */
void add_compat_command(CLI::App& app, int& exit_code);
/** `weft pause`: a run that another process runs pauses. */
void add_pause_command(CLI::App& app, int& exit_code);
/** `weft stop`: a run that another process runs ends at once. */
void add_stop_command(CLI::App& app, int& exit_code);
/** `weft revive`: a dead run is ready for the next worker. */
void add_revive_command(CLI::App& app, int& exit_code);
/** `weft label`: a checkpoint gets a name and stays. */
void add_label_command(CLI::App& app, int& exit_code);
/** `weft prune`: old checkpoints of a thread go. */
void add_prune_command(CLI::App& app, int& exit_code);
/** `weft forget`: a thread goes with all that is stored of it. */
void add_forget_command(CLI::App& app, int& exit_code);
/** `weft export`: the conversations of a store as lines of JSON, to train models with. */
void add_export_command(CLI::App& app, int& exit_code);

}  // namespace weft_cli
