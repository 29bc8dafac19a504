"""Drives a gateway with the official Python SDK and prints what it saw as JSON."""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


@asynccontextmanager
async def open_streams(arguments):
    if arguments[0] == "stdio":
        server = StdioServerParameters(command=arguments[1], args=arguments[2:], env=dict(os.environ))
        async with stdio_client(server) as (read, write):
            yield read, write
        return
    try:
        from mcp.client.streamable_http import streamable_http_client as connect
    except ImportError:
        from mcp.client.streamable_http import streamablehttp_client as connect
    async with connect(arguments[1]) as streams:
        yield streams[0], streams[1]


async def main(arguments):
    async with open_streams(arguments) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        await session.call_tool("mcp", {"connect": "stub"})
        searched = await session.call_tool("mcp", {"search": "echo"})
        called = await session.call_tool("mcp", {"tool": "stub_echo", "args": {"text": "through the gateway"}})
        unknown = await session.call_tool("mcp", {"tool": "stub_ehco"})
        code = getattr(unknown, "structuredContent", None) or getattr(unknown, "structured_content", None)
        failed = getattr(unknown, "isError", None)
        if failed is None:
            failed = unknown.is_error
        print(
            json.dumps(
                {
                    "tools": [tool.name for tool in tools.tools],
                    "searched": "stub_echo" in searched.content[0].text,
                    "called": called.content[0].text,
                    "unknown": {"isError": failed, "code": code["error"]["code"]},
                }
            )
        )


asyncio.run(main(sys.argv[1:]))
