#include "research_crash.hpp"

#include "../../../samples/research_graph.hpp"

#include <cstdint>
#include <utility>

namespace weft_crash {

namespace {

constexpr std::int64_t drafts_max = 6;

/** In the form that the role asks for. The judge is never content. */
std::string in_form(const weft::chat_request& request, const std::string& told)
{
    const std::string role = request.messages.front().text();
    if (role.starts_with("You plan")) return "1. web: " + told + "\n2. papers: " + told + "\n3. data: " + told;
    if (role.starts_with("You judge")) return R"(Well: {"score": 0.5, "feedback": ")" + told + R"("})";
    return told;
}

}  // namespace

research_at_work hire_researchers(std::shared_ptr<const weft_tests::ledger> notes)
{
    research_at_work hired;
    hired.model = std::make_unique<telling_model>("model", std::move(notes));
    hired.model->says(&in_form);
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(research::make_graph(*hired.model, drafts_max));
    hired.graphs = std::move(graphs);
    return hired;
}

weft::run_request research_request(const std::string& thread)
{
    return weft::run_request{thread}.input(research::topic, "rain" + thread_mark(thread));
}

}  // namespace weft_crash
