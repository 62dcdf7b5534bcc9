#pragma once

#include "a2a_request.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/store/record/stored_document.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** Tells the URLs that clients have named how their tasks stand: when they are over, and when they ask.
 *
 *  Configurations are documents of the store. While a task goes on, one process after the other looks how it stands,
 *  and hands what is to be told to the outbox of webhooks, which delivers it at least once, to addresses that
 *  `webhook_options` allows.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       The core outlives it, and it its tasks. */
class a2a_push_sender {
public:
    explicit a2a_push_sender(serve_core& core);

    /** @par Errors   `http_error` `invalid_params`: nothing is sent to the URL. */
    void check(const a2a_push_config& config, std::string_view where) const;
    /** Keeps a configuration, in the place of one with its id. @return  With its id.
     *  @par Errors   `http_error` 429: the task has ten. */
    [[nodiscard]] task<a2a_push_config> enter(std::string tenant, a2a_push_config config, a2a_dialect dialect);
    /** @param id   Empty: the only one.
     *  @par Errors   `http_error` `task_not_found`. */
    [[nodiscard]] task<a2a_push_config> find(std::string tenant, std::string task, std::string id);
    [[nodiscard]] task<std::vector<a2a_push_config>> list(std::string tenant, std::string task);
    /** One that is not there is none that is left. */
    [[nodiscard]] task<void> erase(std::string tenant, std::string task, std::string id);

    /** Looks after the tasks until it is stopped. */
    [[nodiscard]] task<void> work();

private:
    [[nodiscard]] static task<std::size_t> look(a2a_push_sender& self);
    static task<void> look_at(a2a_push_sender& self, stored_document of);
    static task<void> tell(a2a_push_sender& self, const stored_document& of, run_record run, std::string state);

    serve_core& core_;
    intrusive_ptr<remote_signal> news_;
};

}  // namespace weft::serve_detail
