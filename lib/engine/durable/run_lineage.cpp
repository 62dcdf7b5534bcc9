#include "run_lineage.hpp"

#include "engine/worker/patient_store.hpp"

#include <weft/base/json.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

constexpr int steps_back_max = 16;

using checkpoint_place = std::pair<thread_key, std::int64_t>;

/** Where the one stands that was changed by hand. */
task<std::int64_t> changed_by(const patient_store& store, checkpoint_info edit)
{
    const std::optional<run_record> record = co_await store.find_run(edit.run);
    if (!record) co_return edit.parent;
    const boost::json::value notes = parse_json(record->metadata);
    const boost::json::value* const from = notes.as_object().if_contains("weft.from");
    co_return from && from->is_int64() ? from->get_int64() : edit.parent;
}

task<std::optional<checkpoint_place>> place_before(const patient_store& store, thread_key thread, checkpoint_info at)
{
    std::optional<checkpoint_place> found;
    if (at.copy_of.is_nil()) {
        const std::int64_t before = co_await changed_by(store, std::move(at));
        if (before > 0) found.emplace(std::move(thread), before);
        co_return found;
    }
    const auto find = [id = at.copy_of](checkpoint_store& of) { return of.find(id); };
    found = co_await store.until_answered(find);
    co_return found;
}

}  // namespace

task<std::optional<earlier_run>> run_before(const patient_store& store, thread_key thread, checkpoint_info head)
{
    std::optional<earlier_run> run;
    for (int steps = 0; head.kind == checkpoint_kind::edit; ++steps) {
        std::optional<checkpoint_place> before = co_await place_before(store, thread, head);
        if (!before || steps == steps_back_max) co_return run;
        thread = std::move(before->first);
        history_page one;
        one.before = before->second + 1;
        one.count_max = 1;
        std::vector<checkpoint_info> found = co_await store.history(thread, one);
        // One that was pruned has an older one in its place.
        if (found.empty() || found.front().sequence != before->second) co_return run;
        head = std::move(found.front());
    }
    const std::optional<run_record> record = co_await store.find_run(head.run);
    if (record) run.emplace(earlier_run{std::move(head), record->input});
    co_return run;
}

}  // namespace weft
