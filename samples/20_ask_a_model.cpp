// Sample 20: a graph of one node asks a model.

// [program]
#include <weft/agents.hpp>
#include <weft/models.hpp>
#include <weft/weft.hpp>

#include <iostream>
#include <string>

inline constexpr weft::state_key<std::string> question{"question"};
inline constexpr weft::state_key<std::string> answer{"answer"};

int main()
{
    // OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or WEFT_LLM_URL says whom to ask. Without any of them the node
    // gives its scripted reply.
    const auto named = weft::read_any_model_environment(weft::process_environment());
    const auto model = named ? weft::make_model(weft::http_client{}, *named) : nullptr;
    const weft::llm_settings settings{.prompt = "{question}", .scripted = {"Water that falls from clouds."}};
    const weft::graph ask = weft::graph_builder{"ask"}
                                .state(question, answer)
                                .node("ask", weft::llm_node{model, {.settings = settings, .writes = {"answer"}}})
                                .chain({weft::start, "ask", weft::end})
                                .build();
    const weft::run_result result = weft::run_blocking(ask, {question, "What is rain?"});
    if (!result.ok()) return std::cerr << result.message() << '\n', 1;
    std::cout << result.get(answer) << '\n';
}
// [/program]
