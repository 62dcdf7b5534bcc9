#include "patient_store.hpp"

#include <weft/engine/checkpoint/checkpoint_reader.hpp>

namespace weft {

namespace {

task<bool> is_found(checkpoint_store& store, checkpoint_id id)
{
    const auto place = co_await store.find(id);
    co_return place.has_value();
}

}  // namespace

task<std::optional<run_record>> patient_store::find_run(run_id run) const
{
    return until_answered([run](checkpoint_store& store) { return store.find_run(run); });
}

task<run_record> patient_store::require_run(run_id run) const
{
    std::optional<run_record> record = co_await find_run(run);
    if (!record) throw error{errc::thread_not_found, "run " + run.text(), "the store does not know it any more"};
    co_return std::move(*record);
}

task<std::optional<run_record>> patient_store::active_run(thread_key thread) const
{
    return until_answered([thread = std::move(thread)](checkpoint_store& store) { return store.active_run(thread); });
}

task<run_admission> patient_store::enqueue(new_run entry) const
{
    return until_answered([entry = std::move(entry)](checkpoint_store& store) { return store.enqueue(entry); });
}

task<bool> patient_store::change_input(thread_key thread, run_id run, std::string input) const
{
    return until_answered([thread = std::move(thread), run, input = std::move(input)](checkpoint_store& store) {
        return store.change_input(thread, run, input);
    });
}

task<std::optional<run_id>> patient_store::signal(thread_key thread, run_signal what) const
{
    return until_answered(
        [thread = std::move(thread), what](checkpoint_store& store) { return store.signal(thread, what); });
}

task<std::size_t> patient_store::reap(std::size_t runs_max) const
{
    return until_answered([runs_max](checkpoint_store& store) { return store.reap(runs_max); });
}

task<std::optional<checkpoint>> patient_store::load(thread_key thread, std::optional<std::int64_t> sequence) const
{
    return until_answered(
        [thread = std::move(thread), sequence](checkpoint_store& store) { return store.load(thread, sequence); });
}

task<std::vector<checkpoint_info>> patient_store::history(thread_key thread, history_page page) const
{
    return until_answered(
        [thread = std::move(thread), page](checkpoint_store& store) { return store.history(thread, page); });
}

task<frontier> patient_store::read_frontier(thread_key thread, const checkpoint& from, graph of,
                                            std::shared_ptr<const graph_migrations> by) const
{
    return until_answered([thread = std::move(thread), &from, of = std::move(of),
                           by = std::move(by)](checkpoint_store& store) {
        return weft::read_frontier(store, thread, from, of, by);
    });
}

task<checkpoint_outline> patient_store::read_outline(thread_key thread, checkpoint from) const
{
    return until_answered([thread = std::move(thread), from = std::move(from)](checkpoint_store& store) {
        return weft::read_outline(store, thread, from);
    });
}

task<bool> patient_store::has_checkpoint(checkpoint_id id) const
{
    return until_answered([id](checkpoint_store& store) { return is_found(store, id); });
}

task<bool> patient_store::drop(thread_key thread) const
{
    return until_answered([thread = std::move(thread)](checkpoint_store& store) { return store.drop(thread); });
}

task<std::vector<effect_record>> patient_store::effects(thread_key thread) const
{
    return until_answered([thread = std::move(thread)](checkpoint_store& store) { return store.effects(thread); });
}

task<std::vector<question_record>> patient_store::questions(thread_key thread) const
{
    return until_answered([thread = std::move(thread)](checkpoint_store& store) { return store.questions(thread); });
}

task<answer_state> patient_store::answer(thread_key thread, std::string address, std::string answer) const
{
    return until_answered([thread = std::move(thread), address = std::move(address),
                           answer = std::move(answer)](checkpoint_store& store) {
        return store.answer(thread, address, answer);
    });
}

}  // namespace weft
