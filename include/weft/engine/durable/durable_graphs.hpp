#pragma once

#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/graph/graph.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The graphs that a process can run, by name: a run that another process began is found here again.
 *
 *  Two graphs of one name are two revisions: new runs get the one that was added last; a run that began with the other
 *  one goes on with it. A former revision is one that was replaced while runs waited in it: they go on with the newest
 *  one if they can, else with it.
 *
 *  @par Thread safety   Immutable once it is shared.
 */
class durable_graphs {
public:
    struct entry {
        std::shared_ptr<const graph_table> table;
        run_options options;                                ///< Of every run of the graph.
        std::shared_ptr<const graph_migrations> migrations; ///< From older revisions; null: none.
        bool is_former = false;                             ///< No run begins with it.
        std::shared_ptr<const void> keeps = {};             ///< What its nodes refer to; lives as long as its runs.

        [[nodiscard]] const weft::graph& graph() const noexcept { return table->graph(); }
    };

    /** @par Errors  `errc::invalid_configuration` if graphs stand in nodes of one another more than 32 deep, itself
     *  included: a checkpoint keeps so many. */
    durable_graphs& add(graph what) { return add(std::move(what), run_options{}); }
    /** @param options   Limits that hold in whichever process the run goes on. */
    durable_graphs& add(graph what, run_options options);
    durable_graphs& add(graph what, run_options options, graph_migrations by);
    /** @param keeps   What the nodes of the graph refer to, shared by its runs. */
    durable_graphs& add(graph what, run_options options, std::shared_ptr<const void> keeps);
    /** Adds one of another set. */
    durable_graphs& add(entry of);
    /** Adds a revision that was replaced. */
    durable_graphs& add_former(entry of);

    [[nodiscard]] std::span<const entry> entries() const noexcept { return entries_; }
    /** The newest revision that is no former one. Null if there is no graph of this name. */
    [[nodiscard]] const entry* find(std::string_view name) const noexcept;
    /** The newest revision of this fingerprint, also a former one, else the newest. Null if there is no graph of this
     *  name. */
    [[nodiscard]] const entry* find(std::string_view name, std::string_view fingerprint) const noexcept;
    /** The same. @par Errors  `errc::invalid_configuration` lists the graphs there are. */
    [[nodiscard]] const entry& require(std::string_view name, std::string_view fingerprint = std::string_view{}) const;
    /** The only graph's name; empty if there are several or none. */
    [[nodiscard]] std::string_view only() const noexcept;

private:
    std::vector<entry> entries_;
};

}  // namespace weft
