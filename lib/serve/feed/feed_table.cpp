#include "feed_table.hpp"

#include <utility>

namespace weft::serve_detail {

std::shared_ptr<run_feed> feed_table::of(run_id run)
{
    std::shared_ptr<run_feed>& place = feeds_[run];
    if (!place) place = std::make_shared<run_feed>(loop_, run, limits_.events_max);
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
    closed_.push_back(run);
    while (closed_.size() > limits_.closed_max) {
        const auto oldest = feeds_.find(closed_.front());
        if (oldest != feeds_.end() && oldest->second->is_closed()) feeds_.erase(oldest);
        closed_.pop_front();
    }
}

}  // namespace weft::serve_detail
