// The server that OpenAI's clients talk to in the tests interop.openai_*.
// usage: openai_server <port> <loops>

#include "interop_server.hpp"
#include "serve/openai/openai_graphs.hpp"

int main(int count, char** arguments) { return serve_until_stopped(count, arguments, openai_graphs::all()); }
