#include "summary_writer.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/model/model_error.hpp>

#include "summary_text.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace weft {

namespace {

/** Asks once. Whether another attempt makes sense is what it gives. */
task<bool> try_summary(chat_model& model, const summary_job& job, const summary_rules& rules, written_summary& into)
{
    bool may_pass = true;
    try {
        chat_request request = job.request;
        task<chat_reply> asking = model.reply(std::move(request));
        const chat_reply reply = co_await with_deadline(std::move(asking), rules.timeout);
        into.usage += reply.usage;
        std::optional<std::string> text = read_summary(reply.message.text());
        if (text) into.text = std::move(*text);
        else into.failure = "the model said nothing";
    } catch (const model_error& failed) {
        if (failed.code() == errc::cancelled) throw;
        into.usage += failed.partial().usage;
        into.failure = failed.what();
        may_pass = failed.failure().is_transient;
    } catch (const error& failed) {
        if (failed.code() == errc::cancelled) throw;
        into.failure = failed.what();
        may_pass = failed.code() == errc::timeout;
    } catch (const std::exception& failed) {
        into.failure = failed.what();
        may_pass = false;
    }
    co_return may_pass;
}

}  // namespace

task<written_summary> write_summary(std::shared_ptr<chat_model> model, summary_job job, summary_rules rules)
{
    written_summary written;
    const std::uint32_t attempts_max = std::max(rules.attempts_max, std::uint32_t{1});
    while (written.attempts < attempts_max) {
        if (written.attempts > 0) co_await sleep_for(rules.pause * written.attempts);
        ++written.attempts;
        const bool may_pass = co_await try_summary(*model, job, rules, written);
        if (!written.text.empty() || !may_pass) break;
    }
    if (!written.text.empty()) written.failure.clear();
    co_return written;
}

}  // namespace weft
