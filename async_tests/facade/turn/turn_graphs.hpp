#pragma once

#include "facade/ensemble/ensembles.hpp"

#include <weft/async/sleep.hpp>
#include <weft/facade/turn_engine.hpp>

#include <stdexcept>

namespace weft_tests {

/** The state of the tests: what was done, and a number. */
struct notes {
    std::string trail;
    int number = 0;
};

using graph_type = weft::turn_graph<notes>;
using options_type = weft::turn_options<notes>;
using request_type = weft::turn_request<notes>;
using engine_type = weft::turn_engine<notes>;

inline auto marks(char letter)
{
    return [letter](notes& state) {
        state.trail.push_back(letter);
        ++state.number;
    };
}

/** Nodes for the letters, not connected; the first is the entry. */
inline graph_type nodes(std::string_view letters)
{
    graph_type graph;
    for (const char letter : letters) graph.add_node(std::string(1, letter), marks(letter));
    graph.set_entry_point(std::string(1, letters.front()));
    return graph;
}

inline weft::turn_result<notes> run_turns(const engine_type& engine, notes initial = {}, request_type request = {})
{
    weft::testing::simulation sim{1};
    return sim.run(engine.run(std::move(initial), std::move(request)));
}

}  // namespace weft_tests
