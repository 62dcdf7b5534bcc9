#pragma once

/** Chat models of all providers, and what decorates them: retries, fallbacks, prices, limits, caches; models of
 *  embeddings.
 *
 *  Links with `weft::net`. docs/MODELS.md, docs/MODEL_DECORATORS.md. */

#include <weft/chat/image.hpp>
#include <weft/chat/message.hpp>
#include <weft/model/anthropic_model.hpp>
#include <weft/model/any_embedding_model.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/model/decorator/budgeted_model.hpp>
#include <weft/model/decorator/cached_embedding_model.hpp>
#include <weft/model/decorator/cached_model.hpp>
#include <weft/model/decorator/fallback_model.hpp>
#include <weft/model/decorator/hedged_model.hpp>
#include <weft/model/decorator/limited_embedding_model.hpp>
#include <weft/model/decorator/limited_model.hpp>
#include <weft/model/decorator/priced_embedding_model.hpp>
#include <weft/model/decorator/priced_model.hpp>
#include <weft/model/decorator/retrying_embedding_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/model/embedding/gemini_embedding_model.hpp>
#include <weft/model/embedding/ollama_embedding_model.hpp>
#include <weft/model/embedding/openai_embedding_model.hpp>
#include <weft/model/gemini_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/model/ollama_model.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/model/responses_model.hpp>
#include <weft/net/http_client.hpp>
