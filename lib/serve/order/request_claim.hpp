#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/service/request_key_table.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace weft::serve_detail {

/** A request that its client may send again, by a name that stays the same. */
struct repeatable_request {
    repeatable_request() {}

    std::string tenant = {};
    std::string key = {};      ///< In the table of keys, for all protocols.
    std::string content = {};  ///< A digest of what it says; empty: the key has it.
    std::string place = {};    ///< What names the request, for messages: `Idempotency-Key`.
    std::chrono::milliseconds lifetime{};  ///< For which its run is found again.
    bool forgets_failed = false;  ///< A run that has failed, was cancelled or is gone does not count: a new one begins.
};

/** What a request has come to: what its run does behind an event. */
struct begun_request {
    run_id run = {};
    std::uint64_t after = 0;  ///< 0: from its beginning.
};

/** Has a request carried out once, whichever processes on the store get it, and however often.
 *
 *      request_claim claim{core, request};
 *      const std::optional<begun_request> known = co_await claim.take();
 *      if (known) …                                          // the same request came before: its run
 *      body.id = claim.run();
 *      task<begun_turn> beginning = begin(core, body);
 *      begun_turn begun = co_await claim.hold(std::move(beginning));
 *
 *  The id of the run is noted before the run begins. So a run whose process died between two writes is found.
 *
 *  @par Lifetimes   The core outlives it, and it its tasks. */
class request_claim {
public:
    request_claim(serve_core& core, repeatable_request request);

    /** Takes the request, or finds what it has come to. One that is being carried out is waited for.
     *  @return      Nothing: it is to be carried out.
     *  @par Errors  `http_error`: 422 `idempotency_key_reused`, another request had the key; 409
     *               `request_in_progress`, it is still being carried out. */
    [[nodiscard]] task<std::optional<begun_request>> take();
    /** The id that a new run of the request is to have. */
    [[nodiscard]] run_id run() const noexcept { return run_; }

    /** Carries the request out, and notes what it has come to; `begun_by` reads that. When it fails, the next request
     *  of the key is carried out.
     *  @par Errors  Those of the work. */
    template <class Begun>
    [[nodiscard]] task<Begun> hold(task<Begun> work)
    {
        std::exception_ptr failure;
        std::optional<Begun> begun;
        try {
            Begun made = co_await std::move(work);
            begun.emplace(std::move(made));
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure) {
            co_await release();
            std::rethrow_exception(failure);
        }
        const begun_request known = begun_by(*begun);
        co_await settle(known, request_.content);
        co_return std::move(*begun);
    }

private:
    /** What came of the request that had the key first; nothing: that is not known yet. */
    [[nodiscard]] task<std::optional<begun_request>> first_of(request_key_claim known);
    [[nodiscard]] task<std::optional<begun_request>> inherit(request_key_claim left);
    [[nodiscard]] task<bool> counts(begun_request known);
    void require_same(const boost::json::object& noted) const;
    [[nodiscard]] std::string note() const;
    [[nodiscard]] task<void> settle(begun_request known, std::string content);
    [[nodiscard]] task<void> release();

    serve_core& core_;
    repeatable_request request_;
    request_key_table keys_;
    run_id run_;
};

}  // namespace weft::serve_detail
