#include "commit_parameters.hpp"

#include "event_parameters.hpp"
#include "sql_result.hpp"
#include "sql_statements.hpp"
#include "store/record/event_pruning.hpp"
#include "store/record/limit_checks.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace weft::postgres_detail {

namespace {

constexpr std::size_t parameters_max = 28;

std::int64_t number(std::size_t count) noexcept { return static_cast<std::int64_t>(count); }

/** Arrays of the parameters of several checkpoints. */
class merged_parameters {
public:
    explicit merged_parameters(std::span<const pending_commit* const> commits) : commits_{commits}
    {
        std::size_t bytes = 0;
        for (const pending_commit* each : commits) {
            bytes += each->bytes();
            blobs_ += each->draft.blobs.size();
            settled_ += each->draft.settled.size();
            events_ += each->draft.events.size();
        }
        all_.reserve(parameters_max, bytes);
    }

    void add_checkpoints()
    {
        each('t', [](const pending_commit& of) { return std::string_view{of.fence.thread.tenant}; });
        each('t', [](const pending_commit& of) { return std::string_view{of.fence.thread.thread}; });
        each('i', [](const pending_commit& of) { return of.fence.epoch; });
        each('i', [](const pending_commit& of) { return of.fence.head; });
        each('u', [](const pending_commit& of) { return of.fence.run.value(); });
        each('u', [](const pending_commit& of) { return of.draft.id.value(); });
        each('i', [](const pending_commit& of) { return static_cast<std::int64_t>(of.draft.kind); });
        each('i', [](const pending_commit& of) { return static_cast<std::int64_t>(of.draft.step); });
        each('i', [](const pending_commit& of) { return nanoseconds_of(of.draft.at); });
        each('i', [](const pending_commit& of) { return number(bytes_of(of.draft)); });
        each('t', [](const pending_commit& of) { return std::string_view{of.draft.node}; });
        each('t', [](const pending_commit& of) { return std::string_view{of.draft.graph}; });
        each('t', [](const pending_commit& of) { return std::string_view{of.draft.graph_hash}; });
        each('t', [](const pending_commit& of) { return std::string_view{of.draft.label}; });
        each('b', [](const pending_commit& of) { return joined(of.draft.links); });
        each('b', [](const pending_commit& of) { return std::string_view{of.draft.body}; });
    }

    void add_blobs()
    {
        each_of('i', blobs_, &checkpoint_draft::blobs, whose);
        each_of('b', blobs_, &checkpoint_draft::blobs,
                [](std::int64_t, auto& all, std::size_t i) { return bytes_of_hash(all[i].hash); });
        each_of('b', blobs_, &checkpoint_draft::blobs,
                [](std::int64_t, auto& all, std::size_t i) { return std::string_view{all[i].bytes}; });
        each_of('b', blobs_, &checkpoint_draft::blobs,
                [](std::int64_t, auto& all, std::size_t i) { return joined(all[i].links); });
    }

    void add_settled()
    {
        each_of('i', settled_, &checkpoint_draft::settled, whose);
        each_of('t', settled_, &checkpoint_draft::settled,
                [](std::int64_t, auto& all, std::size_t i) { return std::string_view{all[i]}; });
    }

    /** Of each checkpoint how many events it has and their bytes; and of each event how many of the same checkpoint
     *  are behind it. */
    void add_events_of_all()
    {
        each('i', [](const pending_commit& of) { return number(of.draft.events.size()); });
        each('i', [](const pending_commit& of) { return bounded(size_of(of.draft.events)); });
        each_of('i', events_, &checkpoint_draft::events, whose);
        each_of('i', events_, &checkpoint_draft::events,
                [](std::int64_t, auto& all, std::size_t i) { return number(all.size() - 1 - i); });
        each_of('t', events_, &checkpoint_draft::events,
                [](std::int64_t, auto& all, std::size_t i) { return std::string_view{all[i].kind}; });
        each_of('b', events_, &checkpoint_draft::events,
                [](std::int64_t, auto& all, std::size_t i) { return std::string_view{all[i].data}; });
    }

    [[nodiscard]] sql_parameters take() noexcept { return std::move(all_); }

private:
    /** To which of the checkpoints an item belongs. */
    static constexpr auto whose = [](std::int64_t place, const auto&, std::size_t) { return place; };

    template <class Function>
    void each(char type, Function value_of)
    {
        all_.begin_array(type, commits_.size());
        for (const pending_commit* commit : commits_) all_.element(value_of(*commit));
    }

    template <class Items, class Function>
    void each_of(char type, std::size_t count, Items items, Function value_of)
    {
        all_.begin_array(type, count);
        std::int64_t place = 0;
        for (const pending_commit* commit : commits_) {
            const auto& all = commit->draft.*items;
            ++place;
            for (std::size_t i = 0; i < all.size(); ++i) all_.element(value_of(place, all, i));
        }
    }

    std::span<const pending_commit* const> commits_;
    std::size_t blobs_ = 0;
    std::size_t settled_ = 0;
    std::size_t events_ = 0;
    sql_parameters all_;
};

/** Of `prune_events_of_many`: the logs that have got events. */
sql_parameters pruning_of_all(std::span<const pending_commit* const> commits)
{
    std::vector<const pending_commit*> telling;
    for (const pending_commit* each : commits)
        if (!each->draft.events.empty()) telling.push_back(each);
    sql_parameters all;
    const auto add = [&](char type, auto value_of) {
        all.begin_array(type, telling.size());
        for (const pending_commit* each : telling) all.element(value_of(*each));
    };
    add('u', [](const pending_commit& of) { return of.fence.run.value(); });
    add('i', [](const pending_commit& of) { return bounded(of.draft.event_limits.events_max); });
    add('i', [](const pending_commit& of) { return bounded(of.draft.event_limits.bytes_max); });
    add('i', [](const pending_commit& of) { return bounded(floor_of(of.draft.event_limits).events); });
    add('i', [](const pending_commit& of) { return bounded(floor_of(of.draft.event_limits).bytes); });
    return all;
}

const sql_statement& statement_for(const checkpoint_draft& draft) noexcept
{
    const bool settles = !draft.settled.empty();
    if (draft.events.empty()) return settles ? sql::commit_settling : sql::commit;
    return settles ? sql::commit_events_settling : sql::commit_events;
}

}  // namespace

void add_commit(sql_request& to, const pending_commit& commit)
{
    const auto& [fence, draft] = commit;
    sql_parameters parameters;
    parameters.reserve(parameters_max, commit.bytes());
    parameters.text(fence.thread.tenant).text(fence.thread.thread);
    parameters.integer(fence.epoch).integer(fence.head).id(fence.run.value()).id(draft.id.value());
    parameters.integer(static_cast<std::int64_t>(draft.kind))
        .integer(static_cast<std::int64_t>(draft.step))
        .integer(nanoseconds_of(draft.at))
        .integer(number(bytes_of(draft)));
    parameters.text(draft.node).text(draft.graph).text(draft.graph_hash).text(draft.label);
    parameters.bytes(joined(draft.links)).bytes(draft.body);
    parameters.begin_array('b', draft.blobs.size());
    for (const blob& each : draft.blobs) parameters.element(bytes_of_hash(each.hash));
    parameters.begin_array('b', draft.blobs.size());
    for (const blob& each : draft.blobs) parameters.element(std::string_view{each.bytes});
    parameters.begin_array('b', draft.blobs.size());
    for (const blob& each : draft.blobs) parameters.element(joined(each.links));
    if (!draft.events.empty()) add_events(parameters, draft.events);
    if (!draft.settled.empty()) parameters.texts(draft.settled);
    to.step(statement_for(draft), std::move(parameters));
    if (!draft.events.empty()) to.step(sql::prune_events, pruning_of(fence.run, draft.event_limits));
}

sql_request merged_request(std::span<const pending_commit* const> commits)
{
    bool are_plain = true;
    bool has_events = false;
    for (const pending_commit* each : commits) {
        are_plain = are_plain && each->is_plain();
        has_events = has_events || !each->draft.events.empty();
    }
    merged_parameters all{commits};
    all.add_checkpoints();
    all.add_blobs();
    sql_request request;
    request.writing();
    if (are_plain) {
        request.step(sql::commit_many, all.take());
        return request;
    }
    all.add_settled();
    all.add_events_of_all();
    request.step(sql::commit_many_whole, all.take());
    if (has_events) request.step(sql::prune_events_of_many, pruning_of_all(commits));
    return request;
}

}  // namespace weft::postgres_detail
