#include "checkpoint_parents.hpp"

#include "serve/wire/run_notes.hpp"

#include <utility>
#include <vector>

namespace weft::serve_detail {

task<std::optional<std::int64_t>> checkpoint_parents::beginning_of(run_id run)
{
    if (const auto found = known_.find(run); found != known_.end()) co_return found->second;
    std::optional<std::int64_t> from;
    const std::optional<run_record> record = co_await core_.stores.runs->find_run(run);
    if (record) {
        const boost::json::object notes = object_in(record->metadata);
        const boost::json::value* const noted = notes.if_contains(run_notes::from);
        if (noted && noted->is_int64()) from = noted->get_int64();
    }
    known_.emplace(run, from);
    co_return from;
}

task<checkpoint_origin> checkpoint_parents::of(checkpoint_info info, std::optional<checkpoint_info> before)
{
    checkpoint_origin origin;
    if (!info.copy_of.is_nil()) origin.copy_of = co_await core_.stores.runs->find(info.copy_of);
    origin.parent = co_await parent_of(std::move(info), std::move(before));
    co_return origin;
}

task<std::int64_t> checkpoint_parents::parent_of(checkpoint_info info, std::optional<checkpoint_info> before)
{
    if (info.run.is_nil()) co_return info.parent;
    const std::optional<std::int64_t> from = co_await beginning_of(info.run);
    if (!from) co_return info.parent;
    if (!before) {
        history_page one;
        one.before = info.sequence;
        one.count_max = 1;
        std::vector<checkpoint_info> found = co_await core_.engine.history(thread_, one);
        if (!found.empty()) before = std::move(found.front());
    }
    // Only the first checkpoint of a run is where its branch begins.
    const bool is_first = !before || before->run != info.run;
    co_return is_first ? *from : info.parent;
}

}  // namespace weft::serve_detail
