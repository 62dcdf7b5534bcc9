#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/store/role/document_store.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** Says which timers of entries the servers on a store have. In a rolling deploy some of them have a newer file than
 *  others: a timer stays as long as any server has it.
 *
 *  A server renews its claims every 30 s, and takes them back when it ends in order. Those of one that was killed count
 *  for two minutes.
 *
 *  @par Errors          Those of `document_store`.
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       The documents outlive it, and it its tasks. */
class timer_claims {
public:
    using problem_function = std::function<void(std::string_view what)>;

    /** @param server   The id of this life of the server. */
    timer_claims(document_store& documents, std::string server, problem_function problem)
        : documents_{documents}, server_{std::move(server)}, problem_{std::move(problem)}
    {
    }

    /** The name of a timer among all tenants. */
    [[nodiscard]] static std::string name_of(std::string_view tenant, std::string_view cron);

    /** This server has these timers, from now on. */
    [[nodiscard]] task<void> claim(std::set<std::string> timers);
    /** The timers that other servers have. */
    [[nodiscard]] task<std::set<std::string>> of_others();
    /** True if this server has the timer. */
    [[nodiscard]] bool has(const std::string& timer) const { return own_.contains(timer); }
    /** Renews the claims until it is stopped. */
    [[nodiscard]] task<void> work();
    /** The server ends. */
    [[nodiscard]] task<void> leave();

private:
    [[nodiscard]] task<void> write(bool is_here);

    document_store& documents_;
    std::string server_;
    problem_function problem_;
    std::set<std::string> own_;
};

}  // namespace weft::serve_detail
