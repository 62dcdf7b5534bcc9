#pragma once

#include <weft/base/text/json_path.hpp>
#include <weft/graph/spec/spec_mistake.hpp>
#include <weft/model/any_embedding_model.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>

#include <boost/json/value.hpp>

#include <optional>

namespace weft::model_detail {

/** What the entries of a model configuration are read with. */
struct entry_reading {
    const environment_lookup& environment;
    bool takes_literal_keys;
    spec_mistakes& mistakes;
};

/** Reads one model of a configuration; nothing, and a mistake at least, if it cannot be made. */
[[nodiscard]] std::optional<any_model_options> read_model_entry(const boost::json::value& from, const json_path& at,
                                                                const entry_reading& with);

/** Reads the model of embeddings of a configuration; as `read_model_entry`. */
[[nodiscard]] std::optional<any_embedding_options> read_embedding_entry(const boost::json::value& from,
                                                                        const json_path& at,
                                                                        const entry_reading& with);

}  // namespace weft::model_detail
