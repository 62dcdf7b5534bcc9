#pragma once

#include "stream_server.hpp"

#include <weft/model/openai_model.hpp>
#include <weft/net/http_client.hpp>

namespace weft_bench {

/** A client for so many streams at once. Its timeouts are long: what is measured is not how busy the machine is. */
[[nodiscard]] weft::http_client client_for(const stream_server& server, int streams);

/** The model behind a server. */
[[nodiscard]] weft::openai_model model_at(const stream_server& server, weft::http_client client);
[[nodiscard]] weft::openai_model model_at(const stream_server& server, int streams);

/** The most of `wanted` connections that the limit of open files allows. */
[[nodiscard]] int allowed_streams(int wanted);

}  // namespace weft_bench
