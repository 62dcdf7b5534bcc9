// The agents from end to end, against mock servers of models from other projects, over HTTPS.
// usage: interop_agents all|some|failures <API> <URL of the server>
//        interop_agents mcp <API> <URL of the server> <program of an MCP server and its arguments…>

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

dialect dialect_of(const std::string& word)
{
    if (word == "anthropic") return dialect::anthropic;
    if (word == "responses") return dialect::responses;
    if (word == "gemini") return dialect::gemini;
    if (word == "ollama") return dialect::ollama;
    if (word == "other_openai") return dialect::other_openai;
    if (word == "openai") return dialect::openai;
    throw std::runtime_error{"there is no API " + word};
}

void check(const std::string& what, mock_server& server, const std::vector<std::string>& program)
{
    if (what == "all") {
        check_all(server);
        if (server.which() != dialect::anthropic) return;
        check_thinking(server);
        check_anthropic_wire(server);
    } else if (what == "some") {
        check_turn_agent(server);
        check_react_agent(server);
    } else if (what == "failures") {
        check_failures(server);
        check_recovery(server);
        check_stops(server);
    } else if (what == "mcp" && !program.empty()) {
        check_mcp_tools(server, program);
    } else {
        throw std::runtime_error{"there are no checks " + what};
    }
}

}  // namespace

int main(int argc, char** argv)
try {
    const std::vector<std::string> words{argv + 1, argv + argc};
    if (words.size() < 3) throw std::runtime_error{std::string{"usage: "} + argv[0] + " <what> <API> <URL> …"};
    mock_server server{words[2], dialect_of(words[1])};
    check(words[0], server, {words.begin() + 3, words.end()});
    if (interop::failures == 0) std::cout << words[0] << " by " << words[1] << ": all is well\n";
    return interop::failures == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << "failed: " << e.what() << '\n';
    return 1;
}
