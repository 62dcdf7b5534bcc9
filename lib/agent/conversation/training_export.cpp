#include <weft/agent/conversation/training_export.hpp>

#include <weft/base/json/json_text.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/store/record/run_record.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t page_size = 100;

thread_outcome outcome_of(const checkpoint& head, const std::optional<run_record>& last)
{
    if (head.kind == checkpoint_kind::edit) return thread_outcome::unfinished;
    if (last && last->phase == run_phase::finished) return thread_outcome::finished;
    if (last && (last->phase == run_phase::failed || last->phase == run_phase::dead)) return thread_outcome::failed;
    if (last && last->phase == run_phase::cancelled) return thread_outcome::cancelled;
    if (last) return thread_outcome::unfinished;
    if (head.kind == checkpoint_kind::cancel) return thread_outcome::cancelled;
    if (head.kind != checkpoint_kind::finish) return thread_outcome::unfinished;
    return head.node.empty() ? thread_outcome::finished : thread_outcome::failed;
}

task<std::optional<checkpoint>> load_labelled(checkpoint_store& store, thread_key thread, std::string label)
{
    std::optional<std::int64_t> before;
    for (;;) {
        const history_page page{.before = before, .count_max = page_size};
        task<std::vector<checkpoint_info>> reading = store.history(thread, page);
        const std::vector<checkpoint_info> infos = co_await std::move(reading);
        for (const checkpoint_info& info : infos) {
            if (info.label != label) continue;
            std::optional<checkpoint> found = co_await store.load(thread, info.sequence);
            co_return found;
        }
        if (infos.size() < page_size) co_return std::nullopt;
        before = infos.back().sequence;
    }
}

bool is_rated(const training_export_options& options, const boost::json::object& state)
{
    if (!options.rating_min) return true;
    const boost::json::value* const rating = state.if_contains(options.rating_key);
    return rating && rating->is_number() && rating->to_number<double>() >= *options.rating_min;
}

/** One export: what its steps share. */
struct exporting {
    checkpoint_store& store;
    const training_export_options& options;
    const secret_scrubber& scrubber;
    const std::function<void(std::string_view)>& write;
    training_export_counts done;
};

/** The checkpoint whose state is exported; nothing if the filters leave the thread out. */
task<std::optional<checkpoint>> chosen_checkpoint(const exporting& at, thread_key thread)
{
    std::optional<checkpoint> head = co_await at.store.load(thread, std::nullopt);
    if (!head || (!at.options.graph.empty() && head->graph != at.options.graph)) co_return std::nullopt;
    std::optional<run_record> last;
    if (!head->run.is_nil()) {
        last = co_await at.store.find_run(head->run);
    }
    const auto& outcomes = at.options.outcomes;
    if (std::find(outcomes.begin(), outcomes.end(), outcome_of(*head, last)) == outcomes.end()) co_return std::nullopt;
    if (at.options.label.empty() || head->label == at.options.label) co_return head;
    std::optional<checkpoint> labelled = co_await load_labelled(at.store, std::move(thread), at.options.label);
    co_return labelled;
}

task<void> export_thread(exporting& at, thread_key thread)
{
    ++at.done.threads;
    std::optional<checkpoint> chosen = co_await chosen_checkpoint(at, thread);
    boost::json::object state;
    if (chosen) {
        state = co_await read_state(at.store, thread, std::move(*chosen));
    }
    if (!chosen || !is_rated(at.options, state)) {
        ++at.done.filtered;
        co_return;
    }
    std::size_t written = 0;
    for (const state_conversation& one : conversations_in(state, at.options.key)) {
        const auto example = training_example(one.messages, at.options.format, at.scrubber);
        if (!example) continue;
        at.write(to_json_text(*example));
        ++written;
    }
    at.done.conversations += written;
    if (written == 0) ++at.done.without;
}

}  // namespace

std::string_view name_of(thread_outcome outcome) noexcept
{
    switch (outcome) {
    case thread_outcome::finished: return "finished";
    case thread_outcome::failed: return "failed";
    case thread_outcome::cancelled: return "cancelled";
    case thread_outcome::unfinished: return "unfinished";
    }
    return "unfinished";
}

task<training_export_counts> export_conversations(checkpoint_store& store, std::string tenant,
                                                  training_export_options options,
                                                  std::function<void(std::string_view)> write)
{
    const secret_scrubber scrubber{std::move(options.secrets)};
    exporting at{store, options, scrubber, write, {}};
    std::string after;
    for (;;) {
        const std::vector<thread_summary> page = co_await store.threads(tenant, after, page_size);
        for (const thread_summary& one : page) {
            co_await export_thread(at, one.thread);
            if (options.on_progress) options.on_progress(at.done);
        }
        if (page.size() < page_size) co_return at.done;
        after = page.back().thread.thread;
    }
}

}  // namespace weft
