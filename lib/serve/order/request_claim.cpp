#include "request_claim.hpp"

#include "serve/wire/views.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/store/record/run_record.hpp>

#include <boost/json/serialize.hpp>

namespace weft::serve_detail {

namespace {

using boost::json::object;

constexpr std::chrono::seconds carrying_out_max{30};  // then a request may be tried again: its process has died
constexpr int claim_looks_max = 100;                  // for the run of a request that is being carried out elsewhere
constexpr std::chrono::milliseconds claim_look_every{50};

run_id run_in(const object& noted) { return run_id::parse(peek_text(noted, "run")).value_or(run_id{}); }

bool has_failed(run_phase phase) noexcept
{
    return phase == run_phase::failed || phase == run_phase::dead || phase == run_phase::cancelled;
}

}  // namespace

request_claim::request_claim(serve_core& core, repeatable_request request)
    : core_{core}, request_{std::move(request)}, keys_{core.stores.service->documents()},
      run_{core.next_id<run_id>()}
{
}

std::string request_claim::note() const
{
    return boost::json::serialize(object{{"run", run_.text()}, {"content", request_.content}});
}

void request_claim::require_same(const object& noted) const
{
    const std::string_view content = peek_text(noted, "content");
    if (content.empty() || content == request_.content) return;
    throw http_error{422, "idempotency_key_reused",
                     request_.place + ": another request had this key; give each request a key of its own"};
}

task<bool> request_claim::counts(begun_request known)
{
    if (!request_.forgets_failed) co_return true;
    const std::optional<run_record> record = co_await core_.stores.runs->find_run(known.run);
    if (!record) co_return false;
    // What went on with an answer cannot get it once more.
    co_return known.after > 0 || !has_failed(record->phase);
}

task<std::optional<begun_request>> request_claim::first_of(request_key_claim known)
{
    begun_request first;
    if (known.state == request_key_state::done) {
        const object result = object_in(known.result);
        require_same(result);
        first.run = run_in(result);
        const auto* const after = result.if_contains("after");
        if (after && after->is_int64()) first.after = static_cast<std::uint64_t>(after->get_int64());
        co_return first;
    }
    const object noted = object_in(known.note);
    require_same(noted);
    first.run = run_in(noted);
    // One that answers goes on with another run: it is known when it has.
    const std::optional<run_record> record = co_await core_.stores.runs->find_run(first.run);
    if (!record) co_return std::nullopt;
    co_return first;
}

/** A key that a process has left: what it was to begin may be there. */
task<std::optional<begun_request>> request_claim::inherit(request_key_claim left)
{
    const object noted = object_in(left.note);
    begun_request first;
    first.run = run_in(noted);
    if (first.run.is_nil()) co_return std::nullopt;
    const std::optional<run_record> record = co_await core_.stores.runs->find_run(first.run);
    if (!record) {
        // The process may be slow and no more: of two that begin one run the store takes one.
        run_ = first.run;
        co_return std::nullopt;
    }
    std::string content{peek_text(noted, "content")};
    co_await settle(first, std::move(content));
    require_same(noted);
    co_return first;
}

task<std::optional<begun_request>> request_claim::take()
{
    for (int look = 0; look < claim_looks_max; ++look) {
        std::string noted = note();
        const request_key_claim claimed =
            co_await keys_.claim(request_.tenant, request_.key, carrying_out_max, std::move(noted));
        if (claimed.state == request_key_state::fresh) {
            if (!claimed.is_left) co_return std::nullopt;
            co_return co_await inherit(claimed);
        }
        const std::optional<begun_request> first = co_await first_of(claimed);
        bool is_known = first.has_value();
        if (is_known) is_known = co_await counts(*first);
        if (is_known) co_return first;
        if (claimed.state == request_key_state::done) {
            std::string anew = note();
            const bool is_ours = co_await keys_.retake(request_.tenant, request_.key, claimed.revision,
                                                       carrying_out_max, std::move(anew));
            if (is_ours) co_return std::nullopt;
        }
        co_await sleep_for(claim_look_every);
    }
    http_error busy{409, "request_in_progress", request_.place + ": the request is being carried out; try again"};
    busy.header("Retry-After", "1");
    throw busy;
}

task<void> request_claim::settle(begun_request known, std::string content)
{
    std::string result = boost::json::serialize(
        object{{"run", known.run.text()}, {"after", known.after}, {"content", std::move(content)}});
    return keys_.settle(request_.tenant, request_.key, std::move(result), request_.lifetime);
}

task<void> request_claim::release() { return keys_.release(request_.tenant, request_.key); }

}  // namespace weft::serve_detail
