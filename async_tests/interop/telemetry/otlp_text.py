"""Spans as lines, the same whether they came as protobuf or as JSON: by the decoder of OpenTelemetry."""
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
import base64
import json


def decode(body, is_json):
    request = trace_service_pb2.ExportTraceServiceRequest()
    if not is_json:
        request.ParseFromString(body)
        return request
    return json_format.Parse(json.dumps(with_base64(json.loads(body))), request)


def with_base64(value, name=""):
    """Ids are hexadecimal in the JSON of OTLP, and base64 in that of protobuf."""
    if isinstance(value, dict):
        return {key: with_base64(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [with_base64(each, name) for each in value]
    if name in ("traceId", "spanId", "parentSpanId"):
        return base64.b64encode(bytes.fromhex(value)).decode()
    return value


def text_of(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return "list " + ",".join(text_of(each) for each in value.array_value.values)
    if kind == "double_value":
        return "double %g" % value.double_value
    return {"string_value": "text", "int_value": "int"}[kind] + " " + str(getattr(value, kind))


def attributes(all_of):
    return ["  %s = %s" % (each.key, text_of(each.value)) for each in all_of]


def lines(request):
    for resource in request.resource_spans:
        yield "resource"
        yield from attributes(resource.resource.attributes)
        for scope in resource.scope_spans:
            yield "scope " + scope.scope.name
            yield "schema " + scope.schema_url
            for span in scope.spans:
                yield "span " + "|".join([span.name, span.trace_id.hex(), span.span_id.hex(),
                                          span.parent_span_id.hex(), str(span.kind), str(span.start_time_unix_nano),
                                          str(span.end_time_unix_nano), span.trace_state,
                                          "%d %s" % (span.status.code, span.status.message)])
                yield from attributes(span.attributes)
                for event in span.events:
                    yield " event %s|%d" % (event.name, event.time_unix_nano)
                    yield from attributes(event.attributes)
                for link in span.links:
                    yield " link %s|%s" % (link.trace_id.hex(), link.span_id.hex())
