#include "feed_table.hpp"

#include <utility>

namespace weft::serve_detail {

std::shared_ptr<run_feed> feed_table::of(run_id run)
{
    std::shared_ptr<run_feed>& place = feeds_[run];
    if (!place) place = std::make_shared<run_feed>(loop_, run, limits_.events_max, &names_);
    return place;
}

std::shared_ptr<run_feed> feed_table::find(run_id run) const
{
    const auto found = feeds_.find(run);
    return found == feeds_.end() ? nullptr : found->second;
}

void feed_table::close(run_id run, run_ending how)
{
    of(run)->close(std::move(how));
    retire(run);
}

void feed_table::retire(run_id run)
{
    retired_.push_back(run);
    while (retired_.size() > limits_.closed_max) {
        const auto oldest = feeds_.find(retired_.front());
        // One that this process drives again is not closed, and comes here once more.
        const bool is_there = oldest != feeds_.end();
        if (is_there && (oldest->second->is_closed() || !oldest->second->is_driven())) feeds_.erase(oldest);
        retired_.pop_front();
    }
}

}  // namespace weft::serve_detail
