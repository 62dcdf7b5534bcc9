#include "background_summary.hpp"

#include "summary_writer.hpp"

#include <boost/assert.hpp>

#include <utility>

namespace weft {

background_summary::background_summary(const task_context& context, std::shared_ptr<chat_model> model,
                                       summary_plan plan)
    : model_{std::move(model)}, plan_{std::move(plan)}, calls_{context}
{
    BOOST_ASSERT_MSG(model_, "somebody must write the summaries");
}

bool background_summary::start(const conversation& history, bool is_urgent)
{
    if (calls_.stop_requested()) return false;
    std::optional<summary_job> job = plan_.start(history, is_urgent);
    if (!job) return false;
    scored_ = job->scored;
    calls_.spawn(write(model_, std::move(*job), plan_.rules(), written_));
    return true;
}

applied_summary background_summary::take(conversation& history, provenance by)
{
    if (!written_) return {};
    const written_summary written = std::move(*written_);
    written_.reset();
    return plan_.finish(history, written, std::move(by));
}

task<void> background_summary::wait()
{
    co_await calls_.join();
}

task<void> background_summary::write(std::shared_ptr<chat_model> model, summary_job job, summary_rules rules,
                                     std::optional<written_summary>& into)
{
    written_summary written = co_await write_summary(std::move(model), std::move(job), std::move(rules));
    into.emplace(std::move(written));
}

}  // namespace weft
