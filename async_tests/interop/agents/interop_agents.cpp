// The agents from end to end, against mock servers of models that nobody of weft wrote, over HTTPS.
// usage: interop_agents openai|anthropic|other_openai|failures <URL of the server>
//        interop_agents mcp <URL of the server> <program of an MCP server and its arguments…>

#include "checks.hpp"

#include <boost/json/array.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace interop::agents;

void check_all(mock_server& server)
{
    check_turn_agent(server);
    check_agent_chat(server);
    check_event_loop(server);
    check_own_judge(server);
    check_react_agent(server);
    check_structured_answer(server);
    check_team(server);
    check_supervisor(server);
    check_debate(server);
}

void check(const std::string& what, const std::string& url, const std::vector<std::string>& program)
{
    mock_server server{url, what == "anthropic"      ? dialect::anthropic
                            : what == "other_openai" ? dialect::other_openai
                                                     : dialect::openai};
    if (what == "openai" || what == "anthropic") {
        check_all(server);
        if (what == "anthropic") check_anthropic_wire(server);
    } else if (what == "other_openai") {
        check_turn_agent(server);
        check_react_agent(server);
    } else if (what == "failures") {
        check_failures(server);
        check_stops(server);
    } else if (what == "mcp" && !program.empty()) {
        check_mcp_tools(server, program);
    } else {
        throw std::runtime_error{"the arguments are wrong"};
    }
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::vector<std::string> words{argv + 1, argv + argc};
    if (words.size() < 2) throw std::runtime_error{std::string{"usage: "} + argv[0] + " <what> <URL> …"};
    check(words[0], words[1], {words.begin() + 2, words.end()});
    if (interop::failures == 0) std::cout << words[0] << ": all is well at " << words[1] << '\n';
    return interop::failures == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << "failed: " << e.what() << '\n';
    return 1;
}
