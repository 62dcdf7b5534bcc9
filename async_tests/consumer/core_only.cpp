#include <weft/weft.hpp>

#include <iostream>
#include <string>

inline constexpr weft::state_key<std::string> greeting{"greeting"};

void greet(weft::node_context& ctx) { ctx.set(greeting, ctx.get(greeting) + ", stranger"); }

int main()
{
    const weft::graph hello = weft::graph_builder{"hello"}
                                  .state(greeting)
                                  .node("greet", greet)
                                  .edge(weft::start, "greet")
                                  .edge("greet", weft::end)
                                  .build();
    const weft::run_result result = weft::run_blocking(hello, weft::run_request{}.input(greeting, "hello"));
    std::cout << result.state.get(greeting) << '\n';
    return result.state.get(greeting) == "hello, stranger" ? 0 : 1;
}
