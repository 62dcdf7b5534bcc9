// Asks an endpoint one question, perhaps through a proxy, and prints the answer and in how many pieces it came.
// usage: proxy_client <base URL> [<proxy>]

#include <weft/async/run_blocking.hpp>
#include <weft/model/openai_model.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace {

class piece_counter final : public weft::chat_sink {
public:
    void on_text(std::string_view) override { ++pieces; }
    int pieces = 0;
};

}  // namespace

int main(int argc, char** argv)
try {
    if (argc < 2 || argc > 3) throw std::runtime_error{"usage: proxy_client <base URL> [<proxy>]"};
    weft::http_client_options options;
    if (argc == 3) options.proxy = weft::http_proxy{weft::proxy_server{argv[2]}};
    weft::openai_model model{weft::http_client{std::move(options)}, {.base_url = argv[1], .model = "gpt-x"}};
    weft::chat_request request;
    request.user("hello proxy");
    piece_counter sink;
    const weft::chat_reply reply = weft::run_blocking(model.reply(std::move(request), sink));
    std::cout << reply.message.text() << "\npieces: " << sink.pieces << '\n';
    return 0;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
