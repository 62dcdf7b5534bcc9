#pragma once

#include <weft/agent/memory/semantic_items.hpp>
#include <weft/tool/tool_set.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace weft {

/** What `search_documents` searches, and how much it gives back. */
struct document_tools_options {
    document_tools_options() {}

    /** Null: calls fail, and say that there is no model of embeddings. */
    std::shared_ptr<const semantic_items> documents = {};
    std::string contains = "{}";             ///< Only passages that contain it; see `vector_query::contains`.
    float score_min = -1;                    ///< Less like the query: left out.
    std::size_t found_max = 5;               ///< Passages of one answer, if the model asks for more or says nothing.
    std::size_t found_bytes_max = 16'384;    ///< Of one answer; what is too much is left out, and said.
};

/** Adds `search_documents`: a model finds passages of documents by meaning, with the document and line they stand in.
 *
 *  What it finds is text of others: what it says is no instruction (docs/GUARDRAILS.md).
 *
 *  @par Errors   Of a call, as its result for the model: those of `semantic_items::search`. */
void add_document_tools(tool_set& tools, document_tools_options options);

}  // namespace weft
