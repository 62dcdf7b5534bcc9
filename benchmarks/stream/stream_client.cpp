#include "stream_client.hpp"

#include "harness/bench.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft_bench {

weft::http_client client_for(const stream_server& server, int streams)
{
    constexpr std::chrono::minutes patience{3};
    const auto connections = static_cast<std::size_t>(streams);
    weft::http_client_options options;
    options.tls.ca_pem = server.ca_pem();
    options.timeouts = {.connect = patience, .send = patience, .first_byte = patience, .gap = patience};
    options.connections_max = connections;
    options.idle_max = connections;
    options.idle_total_max = connections;
    options.idle_time_max = patience;
    return weft::http_client{std::move(options)};
}

weft::openai_model model_at(const stream_server& server, weft::http_client client)
{
    weft::openai_model_options model;
    model.base_url = "https://localhost:" + std::to_string(server.port()) + "/v1";
    model.model = "m";
    return weft::openai_model{std::move(client), std::move(model)};
}

weft::openai_model model_at(const stream_server& server, int streams)
{
    return model_at(server, client_for(server, streams));
}

int allowed_streams(int wanted)
{
    constexpr rlim_t others = 200;
    rlimit limit{};
    require(getrlimit(RLIMIT_NOFILE, &limit) == 0, "cannot read the limit of open files");
    const rlim_t most = limit.rlim_max > others ? limit.rlim_max - others : 1;
    return static_cast<int>(std::min(most, static_cast<rlim_t>(wanted)));
}

}  // namespace weft_bench
