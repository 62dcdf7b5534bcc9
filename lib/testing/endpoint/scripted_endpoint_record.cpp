#include "scripted_endpoint_record.hpp"

#include <algorithm>
#include <utility>

namespace weft::testing {

namespace {

constexpr std::size_t unanswered_shown_max = 20;

}  // namespace

std::shared_ptr<const scripted_endpoint_request>
scripted_endpoint_record::add(scripted_endpoint_request request)
{
    const auto kept = std::make_shared<scripted_endpoint_request>(std::move(request));
    const std::lock_guard lock{mutex_};
    kept->number = ++counts_.requests;
    counts_.requests_open_max = std::max(counts_.requests_open_max, ++counts_.requests_open);
    if (requests_kept_max_ > 0) requests_.push_back(kept);
    if (requests_.size() > requests_kept_max_) requests_.pop_front();
    changed_.notify_all();
    return kept;
}

void scripted_endpoint_record::add_early_close(std::size_t request, std::size_t pieces)
{
    const std::lock_guard lock{mutex_};
    ++counts_.closed_early;
    --counts_.requests_open;
    early_closes_.push_back({request, pieces, std::chrono::steady_clock::now()});
    if (early_closes_.size() > requests_kept_max_) early_closes_.pop_front();
    changed_.notify_all();
}

// The endpoint has refused it already; the test hears of it when it asks, with what the request was.
void scripted_endpoint_record::add_unanswered(const scripted_endpoint_request& request)
{
    const std::lock_guard lock{mutex_};
    if (++counts_.unanswered <= unanswered_shown_max)
        unanswered_ += request.described() + " has no step in the script\n";
    changed_.notify_all();
}

scripted_endpoint_counts scripted_endpoint_record::counts() const
{
    const std::lock_guard lock{mutex_};
    return counts_;
}

// Copies: the endpoint has an OS thread of its own, which goes on to add.
std::vector<scripted_endpoint_request> scripted_endpoint_record::requests() const
{
    std::vector<std::shared_ptr<const scripted_endpoint_request>> kept;
    {
        const std::lock_guard lock{mutex_};
        kept.assign(requests_.begin(), requests_.end());
    }
    std::vector<scripted_endpoint_request> copies;
    copies.reserve(kept.size());
    for (const auto& request : kept) copies.push_back(*request);
    return copies;
}

std::vector<scripted_endpoint_early_close> scripted_endpoint_record::early_closes() const
{
    const std::lock_guard lock{mutex_};
    return {early_closes_.begin(), early_closes_.end()};
}

std::string scripted_endpoint_record::unanswered() const
{
    const std::lock_guard lock{mutex_};
    if (counts_.unanswered <= unanswered_shown_max) return unanswered_;
    return unanswered_ + "and " + std::to_string(counts_.unanswered - unanswered_shown_max) +
           " more requests have no step\n";
}

bool scripted_endpoint_record::wait_until(
    const std::function<bool(const scripted_endpoint_counts&)>& is_reached,
    std::chrono::nanoseconds patience) const
{
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, patience, [&] { return is_reached(counts_); });
}

}  // namespace weft::testing
