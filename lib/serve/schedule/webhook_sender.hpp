#pragma once

#include "serve/run/run_end_watcher.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/task.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/net/http_request.hpp>
#include <weft/serve/webhook_options.hpp>
#include <weft/store/service/webhook_outbox.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** What a sender of webhooks needs of others. */
struct webhook_functions {
    /** What is told about the end of a run. */
    std::function<task<boost::json::object>(outbox_message of)> body = {};
    /** Sends a request. @return  The status of the answer. Null: over the network. */
    std::function<task<int>(http_request request)> post = {};
    /** Told what went wrong; null: nothing is. */
    std::function<void(std::string_view what)> problem = {};
    /** Told after each attempt whether it was a delivery; null: nothing is. */
    std::function<void(bool is_delivered)> attempted = {};
};

/** Brings the messages of the outbox to their URLs, in the background of a server.
 *
 *  A status of 2xx is a delivery; a redirect is none, for it would lead around the checks of the address. What is told
 *  is kept with the message after a failure: a later attempt says the same though the thread may be gone by then.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Documents and options outlive it, and it the task of `work`. */
class webhook_sender final : public run_end_watcher {
public:
    /** @par Errors   `errc::invalid_configuration`, which lists all options that are out of range. */
    webhook_sender(document_store& documents, const webhook_options& options, webhook_functions functions);

    /** Delivers until it is stopped; what is under way then is tried again by the next process. */
    [[nodiscard]] task<void> work();

    void note_end() override { news_->notify(); }
    [[nodiscard]] task<void> before_forgetting(run_id run) override;

private:
    static task<void> look_for_due(webhook_sender& self, scope& attempts);
    static task<void> deliver(webhook_sender& self, outbox_message message);
    static task<void> attempt(webhook_sender& self, outbox_message message);
    static task<std::string> send(webhook_sender& self, outbox_message& message);
    static task<void> note_failure(webhook_sender& self, outbox_message message, std::string why, bool is_hopeless);
    void tell(std::string_view what) const;

    webhook_outbox outbox_;
    const webhook_options& options_;
    webhook_functions functions_;
    intrusive_ptr<remote_signal> news_;
    std::set<std::string, std::less<>> awaited_;  // runs whose threads go when their end was told
    std::size_t under_way_ = 0;
    bool is_behind_ = false;  // more messages were due than attempts were free
};

}  // namespace weft::serve_detail
