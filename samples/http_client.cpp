// How an HTTP client is set up, and how what it hears is recorded once and replayed in tests.

#include <weft/async/run_blocking.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/net/cassette.hpp>
#include <weft/net/http_client.hpp>
#include <weft/testing/scripted_endpoint.hpp>
#include <weft/testing/simulation.hpp>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>

using namespace std::chrono_literals;

// [options]
weft::http_client_options patient_options()
{
    weft::http_client_options options;
    options.timeouts = {.connect = 10s, .first_byte = 5min, .gap = 1min};
    options.connections_max = 200;
    options.body_bytes_max = 32 * 1024 * 1024;
    // Only because it is said here does the environment decide: HTTPS_PROXY, HTTP_PROXY, NO_PROXY.
    options.proxy = weft::http_proxy::from_environment(weft::process_environment());
    return options;
}
// [/options]

// [proxy]
weft::http_client_options options_behind_a_proxy(weft::secret_string password)
{
    weft::proxy_server proxy{"http://proxy.example.com:3128"};
    proxy.credentials("ann", std::move(password));
    weft::http_client_options options;
    options.proxy = weft::http_proxy{std::move(proxy)}.bypass("localhost, .internal, 10.0.0.0/8");
    return options;
}
// [/proxy]

// [cassette]
weft::task<std::string> ask(weft::http_client client, weft::openai_model_options options)
{
    weft::openai_model model{std::move(client), std::move(options)};
    weft::chat_request request;
    request.user("What is rain?");
    const weft::chat_reply reply = co_await model.reply(std::move(request));
    co_return reply.message.text();
}

// Once, with the real endpoint. The key is not in the file.
std::string record(const std::filesystem::path& file, const weft::http_client_options& http,
                   const weft::openai_model_options& options)
{
    const weft::cassette tape{file, weft::cassette_mode::record};
    std::string answer = weft::run_blocking(ask(weft::http_client{http, tape}, options));
    tape.save();
    return answer;
}

// In every test from then on: no network, no key, and the time between the tokens is virtual.
std::string replay(const std::filesystem::path& file, const weft::openai_model_options& options)
{
    const weft::cassette tape{file, weft::cassette_mode::replay};
    weft::testing::simulation world{1};
    return world.run(ask(weft::http_client{weft::http_client_options{}, tape}, options));
}
// [/cassette]

int main()
{
    using namespace weft::testing;
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "weft_sample.cassette.json";
    weft::openai_model_options options;
    std::string recorded;
    {
        scripted_endpoint endpoint;
        endpoint.when(any_request()).reply(text("Rain is water that falls.").between_tokens(5ms));
        options.base_url = endpoint.url();
        options.model = "scripted";
        weft::http_client_options http = patient_options();
        http.proxy = weft::http_proxy{};
        http.tls.ca_pem = endpoint.ca_pem();
        recorded = record(file, http, options);
    }
    const std::string replayed = replay(file, options);
    std::filesystem::remove(file);
    std::cout << "recorded: " << recorded << "\nreplayed: " << replayed << '\n';
    const bool goes_through =
        options_behind_a_proxy(weft::secret_string{"word"}).proxy.find(weft::url{"https://x.example"}) != nullptr;
    return recorded == replayed && !recorded.empty() && goes_through ? 0 : 1;
}
