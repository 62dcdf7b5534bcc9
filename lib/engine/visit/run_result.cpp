#include <weft/engine/run_result.hpp>

#include <weft/base/error.hpp>

namespace weft {

namespace {

/** What a run that has not ended waits for, and what to do about it. */
std::string pause_message(const std::vector<open_question>& questions)
{
    if (questions.empty()) return "the run is paused: resume it";
    std::string text = "the run is paused until questions are answered:";
    for (const open_question& open : questions) text.append(" '").append(open.address).append("'");
    return text + "; answer them and resume the run";
}

}  // namespace

run_result::run_result() noexcept = default;
run_result::run_result(run_status status, run_quality quality) noexcept : status{status}, quality{quality} {}
run_result::run_result(const run_result&) = default;
run_result::run_result(run_result&&) noexcept = default;
run_result& run_result::operator=(const run_result&) = default;
run_result& run_result::operator=(run_result&&) noexcept = default;
run_result::~run_result() = default;

void run_result::throw_if_failed() const
{
    if (ok()) return;
    const std::string detail = status == run_status::paused && !why ? pause_message(questions) : message();
    throw error{why ? why->code : errc::cancelled, place(), detail};
}

void run_result::refuse_missing(std::string_view key) const
{
    const std::string which = "key '" + std::string{key} + "'";
    throw error{errc::missing_state_value, which,
                ok() ? "no node that ran has written it; the path of the run names those that ran"
                     : "the run has not come to its end: " + message()};
}

std::string run_result::place() const
{
    return graph_ ? "graph '" + std::string{graph_->name()} + "'" : std::string{"the run"};
}

std::vector<std::string_view> run_result::path() const
{
    std::vector<std::string_view> names;
    names.reserve(path_.size() + line_);
    path_.for_each([&](node_index n) { names.push_back(graph_->name_of(n)); });
    node_index at = start_node;
    for (std::uint32_t i = 0; i < line_; ++i) names.push_back(graph_->name_of(at = graph_->node(at).only_next));
    return names;
}

std::uint32_t run_result::visits_of(std::string_view node) const
{
    const node_index n = graph_ ? graph_->find(node) : no_node;
    if (n < visits_.size()) return visits_[n];
    const std::uint32_t place = line_ > 0 && n < graph_->size() ? graph_->node(n).line_place : 0;
    return place != 0 && place <= line_ ? 1 : 0;
}

std::string run_result::message() const { return why ? why->message : std::string{name_of(status)}; }

}  // namespace weft
